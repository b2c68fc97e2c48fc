// Programs that check what is for others to run: the chart, rules. Each is built once from the Go module beside this file, whose sums pin every
// byte of it; what was built stays in the repository's cache.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { lockFile } from '../../libs/dev-servers/src/lock-file.ts'

const run = promisify(execFile)
const cache = resolve(import.meta.dirname, '../../.cache/programs')
/** A busy machine that has none of its modules yet. */
const buildTimeoutMs = 1_500_000

interface Recipe {
  /** The folder with its go.mod; the program's own name where it is not said. */
  readonly folder?: string
  readonly package: string
  readonly linkedWith?: readonly string[]
  /** Only what is long wants it. */
  readonly nightly?: true
  /** Compiled faster than it then runs: for what checks a file or two. */
  readonly brief?: true
}

/**
 * Most of a build is optimizing libraries of which a call or two are made: without that it takes three quarters of the CPU. Go's own and Prometheus' packages
 * stay optimized, or evaluating the rules would take twice as long.
 */
const briefly = ['-gcflags=all=-N -l', '-gcflags=std=', '-gcflags=github.com/prometheus/...=']

const kubernetesVersion = { major: '1', minor: '36', patch: '3' }
const ofVersion = (name: string, value: string) => `-X k8s.io/component-base/version.${name}=${value}`

const recipes = {
  helm: { package: 'helm.sh/helm/v3/cmd/helm', brief: true },
  kubeconform: { package: 'github.com/yannh/kubeconform/cmd/kubeconform', brief: true },
  // Without the clients of every cloud, by which Prometheus finds targets.
  promtool: { package: 'github.com/prometheus/prometheus/cmd/promtool', brief: true },
  // Reads compose files as Docker Compose does.
  compose: { package: 'github.com/compose-spec/compose-go/v2/cmd', brief: true },
  // The store that speaks S3 of docker-compose.yml.
  versitygw: { package: 'github.com/versity/versitygw/cmd/versitygw', brief: true, nightly: true },
  prometheus: { package: 'github.com/prometheus/prometheus/cmd/prometheus', nightly: true },
  etcd: { package: 'go.etcd.io/etcd/server/v3', nightly: true },
  'kube-apiserver': {
    folder: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
    // Charts ask a server for its version, which its makers write into it.
    linkedWith: [
      ofVersion('gitVersion', `v${Object.values(kubernetesVersion).join('.')}`),
      ofVersion('gitMajor', kubernetesVersion.major),
      ofVersion('gitMinor', kubernetesVersion.minor),
    ],
    nightly: true,
  },
  // OpenTelemetry's Collector, of the parts that main.go names.
  otelcol: { package: '.', nightly: true },
  // The same with Kafka and ClickHouse, against which `npm run bench -- collector` measures.
  'otelcol-kafka': { package: '.', nightly: true },
} as const satisfies Readonly<Record<string, Recipe>>
export type Program = keyof typeof recipes

/** All, or those that the short suites want. */
export const programNames = (nightly: boolean): readonly Program[] =>
  (Object.keys(recipes) as Program[]).filter(name => nightly || !('nightly' in recipes[name]))

/** Where Go's own installer and package managers put it; none of them is on the path of every shell. */
const homesOfGo = ['/usr/local/go/bin', '/usr/lib/go/bin', '/opt/homebrew/bin', '/snap/bin']

/** Go keeps what it fetched and compiled below the home directory; who has none gets it beside what is built. */
const goEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: [process.env['PATH'] ?? '', ...homesOfGo].join(delimiter),
  ...(process.env['HOME'] === undefined && { GOPATH: join(cache, 'go'), GOCACHE: join(cache, 'go-build') }),
  CGO_ENABLED: '0',
  GOFLAGS: '-mod=readonly',
  GOWORK: 'off',
})

async function build(program: Program, folder: string, to: string): Promise<void> {
  const { package: from, linkedWith = [], brief }: Recipe = recipes[program]
  const flags = ['-tags=remove_all_sd', '-trimpath', ...(brief ? briefly : []), `-ldflags=${['-s -w', ...linkedWith].join(' ')}`]
  await run('go', ['build', ...flags, '-o', to, from], { cwd: folder, env: goEnvironment(), timeout: buildTimeoutMs }).catch(
    (error: NodeJS.ErrnoException & { readonly stderr?: string }) => {
      const isMissing = error.code === 'ENOENT'
      const what = isMissing
        ? `Building ${program} wants Go, 1.21 or newer, on this machine (golang in most package lists).`
        : `${program} could not be built; is the Go module proxy reachable?\n${error.stderr?.slice(-2000) ?? ''}`
      throw new Error(what, { cause: error })
    },
  )
}

/** The path of a program, built when it is not there: one to five minutes the first time. Throws a sentence when it cannot be had. */
export async function ensureProgram(program: Program): Promise<string> {
  const { folder: named = program, linkedWith = [] }: Recipe = recipes[program]
  const folder = join(import.meta.dirname, named)
  const pinned = readdirSync(folder)
    .sort()
    .map(file => readFileSync(join(folder, file)))
  const hash = createHash('sha256').update(Buffer.concat(pinned)).update(linkedWith.join()).digest('hex').slice(0, 12)
  const path = join(cache, `${program}-${hash}`)
  if (existsSync(path)) return path
  mkdirSync(cache, { recursive: true })
  const release = await lockFile(join(cache, `${program}.lock`), buildTimeoutMs)
  try {
    if (existsSync(path)) return path
    await build(program, folder, `${path}.building`)
    renameSync(`${path}.building`, path)
    return path
  } finally {
    release()
  }
}

/**
 * The folder of a Go module that programs/<folder>/go.mod pins, as it was published: for what lies in it beside code. Throws a sentence when it
 * cannot be had.
 */
export async function moduleFolder(folder: string, module: string): Promise<string> {
  const options = { cwd: join(import.meta.dirname, folder), env: goEnvironment(), timeout: buildTimeoutMs }
  const { stdout } = await run('go', ['mod', 'download', '-json', module], options).catch((error: unknown) => {
    throw new Error(`${module} could not be fetched: is Go on this machine, and the Go module proxy reachable?`, { cause: error })
  })
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir
}
