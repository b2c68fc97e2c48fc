// Runs helm on the chart.
import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { ensureProgram } from '../programs/programs.ts'

export const chartFolder = resolve(import.meta.dirname, '../../deploy/helm')
export const example = (name: string) => join(chartFolder, 'examples', `${name}.yaml`)
export const evaluationValues = join(chartFolder, 'evaluation-values.yaml')

interface Variable {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

export interface Container {
  readonly name: string
  readonly image: string
  readonly command: readonly string[]
  readonly env: readonly Variable[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly startupProbe: Probe
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
}

export interface PodSpec {
  readonly containers: readonly [Container]
  readonly initContainers?: readonly Container[]
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly volumes: readonly { readonly name: string }[]
}

/** Tests read only these fields of a rendered object. The program kubeconform checks the whole object. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec?: Readonly<Record<string, unknown>> & {
    readonly replicas?: number
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> }
    readonly template?: { readonly metadata: { readonly labels: Readonly<Record<string, string>> }; readonly spec: PodSpec }
  }
  readonly data?: Readonly<Record<string, string>>
}

interface Outcome {
  readonly ok: boolean
  readonly output: string
}

const run = promisify(execFile)

export async function helm(...args: readonly string[]): Promise<Outcome> {
  const program = await ensureProgram('helm')
  try {
    const { stdout, stderr } = await run(program, args, { maxBuffer: 1 << 26 })
    return { ok: true, output: stdout || stderr }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
    return { ok: false, output: `${stdout}${stderr}` }
  }
}

export function template(
  files: readonly string[],
  set: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<Outcome> {
  const values = files.flatMap(file => ['--values', file])
  const pairs = Object.entries(set).flatMap(([path, value]) => ['--set-json', `${path}=${value}`])
  return helm('template', 'traces', chartFolder, '--namespace', 'tracing', '--kube-version', '1.33.0', ...values, ...pairs, ...more)
}

export const parse = (output: string): readonly Manifest[] =>
  parseAllDocuments(output, { merge: true })
    .map(document => document.toJS() as Manifest | null)
    .filter(manifest => manifest !== null)

export async function render(files: readonly string[], set?: Readonly<Record<string, string>>): Promise<readonly Manifest[]> {
  const { ok, output } = await template(files, set)
  if (!ok) throw new Error(output)
  return parse(output)
}

/** Returns the error with which helm refuses the values. Throws if helm accepts them. */
export async function refusal(files: readonly string[], set: Readonly<Record<string, string>>): Promise<string> {
  const { ok, output } = await template(files, set)
  if (ok) throw new Error(`These values were accepted: ${JSON.stringify(set)}`)
  return output
}
