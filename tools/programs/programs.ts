// External programs that check the chart and the rules. Each is built once, from a Go module in this folder with pinned dependencies.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { lockFile } from '../../libs/dev-servers/src/lock-file.ts'

const run = promisify(execFile)
const cache = resolve(import.meta.dirname, '../../.cache/programs')
/** Time limit of a build, which is long enough for a busy machine without cached modules. */
const buildTimeoutMs = 1_500_000

interface Recipe {
  /** Directory of the go.mod. By default, the directory has the name of the program. */
  readonly folder?: string
  readonly package: string
  readonly linkedWith?: readonly string[]
  /** True if only the long suites need the program. */
  readonly nightly?: true
  /** True if the program is compiled without optimization, because tests check only one or two files with it. */
  readonly brief?: true
}

/**
 * Without optimization, a build takes a quarter less CPU time. Packages of Go and Prometheus stay optimized: if they were not, evaluating
 * the rules would take twice as long.
 */
const briefly = ['-gcflags=all=-N -l', '-gcflags=std=', '-gcflags=github.com/prometheus/...=']

const kubernetesVersion = { major: '1', minor: '36', patch: '3' }
const ofVersion = (name: string, value: string) => `-X k8s.io/component-base/version.${name}=${value}`

const recipes = {
  helm: { package: 'helm.sh/helm/v3/cmd/helm', brief: true },
  kubeconform: { package: 'github.com/yannh/kubeconform/cmd/kubeconform', brief: true },
  // promtool is built without the clients that find targets at cloud providers.
  promtool: { package: 'github.com/prometheus/prometheus/cmd/promtool', brief: true },
  compose: { package: 'github.com/compose-spec/compose-go/v2/cmd', brief: true },
  // The S3-compatible store of docker-compose.yml.
  versitygw: { package: 'github.com/versity/versitygw/cmd/versitygw', brief: true, nightly: true },
  prometheus: { package: 'github.com/prometheus/prometheus/cmd/prometheus', nightly: true },
  etcd: { package: 'go.etcd.io/etcd/server/v3', nightly: true },
  'kube-apiserver': {
    folder: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
    // A chart can query the version of Kubernetes, which must therefore be set at build time.
    linkedWith: [
      ofVersion('gitVersion', `v${Object.values(kubernetesVersion).join('.')}`),
      ofVersion('gitMajor', kubernetesVersion.major),
      ofVersion('gitMinor', kubernetesVersion.minor),
    ],
    nightly: true,
  },
  // The Collector with the components in main.go.
  otelcol: { package: '.', nightly: true },
  // The Collector with Kafka and ClickHouse, for `npm run bench -- collector`.
  'otelcol-kafka': { package: '.', nightly: true },
} as const satisfies Readonly<Record<string, Recipe>>
export type Program = keyof typeof recipes

export const programNames = (nightly: boolean): readonly Program[] =>
  (Object.keys(recipes) as Program[]).filter(name => nightly || !('nightly' in recipes[name]))

/** Go's installer and package managers create these folders, which some shells lack in their path. */
const homesOfGo = ['/usr/local/go/bin', '/usr/lib/go/bin', '/opt/homebrew/bin', '/snap/bin']

/** Go's cache is below the home directory. Without a home directory, it is in the folder of the programs. */
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
        ? `Building ${program} needs Go 1.21 or newer on this machine (package golang in most distributions).`
        : `${program} could not be built. Check that the Go module proxy is reachable.\n${error.stderr?.slice(-2000) ?? ''}`
      throw new Error(what, { cause: error })
    },
  )
}

/** Building a missing program takes one to five minutes the first time. Throws if the program cannot be built. */
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

/** Downloads the Go module that programs/<folder>/go.mod pins, for tests that need files other than code. */
export async function moduleFolder(folder: string, module: string): Promise<string> {
  const options = { cwd: join(import.meta.dirname, folder), env: goEnvironment(), timeout: buildTimeoutMs }
  const { stdout } = await run('go', ['mod', 'download', '-json', module], options).catch((error: unknown) => {
    throw new Error(`${module} could not be fetched. Check that Go is installed, and that the Go module proxy is reachable.`, {
      cause: error,
    })
  })
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir
}
