// Runs the pods of rendered manifests as local processes, each with its own address. Images, volumes and limits are not simulated.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Container, Manifest, PodSpec } from './helm.ts'

export interface Surroundings {
  /** Secrets by `name/key`. */
  readonly secrets: Readonly<Record<string, string>>
  /** Environment variables of the image. */
  readonly image: Readonly<Record<string, string>>
  /** Maps paths in the image to local paths. */
  readonly files: Readonly<Record<string, string>>
  readonly folder: string
  /** Returns the local directory that replaces a mount path. */
  readonly mounts: (pod: string, mountPath: string) => string
}

export interface Pod {
  readonly name: string
  readonly address: string
  readonly child: ChildProcess
  readonly spec: PodSpec
  readonly said: () => string
}

/** Returns the environment variables of a container. If a URL names a Service, the address of this Service's pod replaces the name. */
function environmentOf(container: Container, pod: string, around: Surroundings, addresses: ReadonlyMap<string, string>): NodeJS.ProcessEnv {
  const given = container.env.map(({ name, value, valueFrom }) => {
    if (valueFrom === undefined) return [name, value!] as const
    const { name: secret, key } = valueFrom.secretKeyRef
    const found = around.secrets[`${secret}/${key}`]
    if (found === undefined) throw new Error(`${pod}: ${name} needs the key ${key} of secret ${secret}, which does not exist`)
    return [name, found] as const
  })
  const resolved = given.map(([name, value]) => {
    const mount = container.volumeMounts.find(({ mountPath }) => value.startsWith(mountPath))
    const local = mount ? value.replace(mount.mountPath, around.mounts(pod, mount.mountPath)) : value
    const file = around.files[local] ?? local
    const byAddress = [...addresses].reduce((text, [service, address]) => text.replaceAll(`//${service}:`, `//${address}:`), file)
    // In a cluster, a pod binds to all of its addresses (`SVC_BIND`). In this test, all pods share one machine, so each pod binds to the
    // one address that the test gave it.
    return [name, name === 'SVC_BIND' ? addresses.get(pod)! : byAddress]
  })
  return { PATH: process.env['PATH'], ...around.image, ...Object.fromEntries(resolved) }
}

function start(
  container: Container,
  env: NodeJS.ProcessEnv,
  folder: string,
): { readonly child: ChildProcess; readonly said: () => string } {
  const child = spawn(process.execPath, container.command.slice(1), { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (said = (said + String(chunk)).slice(-6_000)))
  return { child, said: () => said }
}

/** Runs the containers of a job and returns their output. If a container fails, throws an error with its output. */
export async function runJob(job: Manifest, around: Surroundings): Promise<readonly string[]> {
  const { initContainers = [], containers } = job.spec!.template!.spec
  const outputs: string[] = []
  for (const container of [...initContainers, ...containers]) {
    const env = environmentOf(container, job.metadata.name, around, new Map())
    const { child, said } = start(container, env, around.folder)
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`${job.metadata.name}, container ${container.name} ended with ${code}:\n${said()}`)
    outputs.push(said())
  }
  return outputs
}

export function startPods(manifests: readonly Manifest[], around: Surroundings): readonly Pod[] {
  const workloads = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
  const addresses = new Map(workloads.map(({ metadata }, i) => [metadata.name, `127.0.1.${i + 1}`]))
  return workloads.map(({ metadata: { name }, spec }) => {
    const pod = spec!.template!.spec
    const [container] = pod.containers
    return {
      name,
      address: addresses.get(name)!,
      spec: pod,
      ...start(container, environmentOf(container, name, around, addresses), around.folder),
    }
  })
}

/** Sends the probe to the pod. Returns the status of the response, or 0 if the pod does not respond. */
export async function probe({ address, spec }: Pod, kind: 'startupProbe' | 'livenessProbe' | 'readinessProbe'): Promise<number> {
  const [{ ports, [kind]: asked }] = spec.containers
  const port = ports.find(({ name }) => name === asked.httpGet.port)!.containerPort
  return fetch(`http://${address}:${port}${asked.httpGet.path}`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ status }) => status,
    () => 0,
  )
}

/** Stops the pod, and returns its exit code. Returns null if the pod had to be killed. */
export async function stopPod({ child, spec }: Pod): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode
  const ended = once(child, 'exit') as Promise<[number | null]>
  child.kill('SIGTERM')
  const late = sleep(spec.terminationGracePeriodSeconds * 1000, 'late' as const, { ref: false })
  if ((await Promise.race([ended, late])) === 'late') child.kill('SIGKILL')
  return (await ended)[0]
}
