// Builds external programs that check the chart and the alert rules. Each program is built once, from a Go module in this folder with
// pinned dependencies.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { lockFile } from '../../libs/dev-servers/src/lock-file.ts'

const run = promisify(execFile)
const cache = resolve(import.meta.dirname, '../../.cache/programs')
/** Time limit of a build. The limit is long enough for a busy machine that first downloads all modules. */
const buildTimeoutMs = 1_500_000

interface Recipe {
  /** Folder of the go.mod. By default, the folder has the name of the program. */
  readonly folder?: string
  readonly package: string
  readonly linkedWith?: readonly string[]
  /** True if only the long suites need the program. */
  readonly nightly?: true
  /**
   * True if the program is compiled without optimization. Tests use the program only briefly, so a fast build matters more than a fast
   * program.
   */
  readonly brief?: true
}

/**
 * Flags for a build without optimization. Such a build takes a quarter less CPU time than an optimized build. Go's standard library and the
 * packages of Prometheus stay optimized, because promtool would otherwise need twice as long to test the alert rules.
 */
const briefly = ['-gcflags=all=-N -l', '-gcflags=std=', '-gcflags=github.com/prometheus/...=']

const kubernetesVersion = { major: '1', minor: '36', patch: '3' }
const ofVersion = (name: string, value: string) => `-X k8s.io/component-base/version.${name}=${value}`

const recipes = {
  helm: { package: 'helm.sh/helm/v3/cmd/helm', brief: true },
  kubeconform: { package: 'github.com/yannh/kubeconform/cmd/kubeconform', brief: true },
  // The build tag `remove_all_sd` leaves out promtool's clients for cloud providers.
  promtool: { package: 'github.com/prometheus/prometheus/cmd/promtool', brief: true },
  compose: { package: 'github.com/compose-spec/compose-go/v2/cmd', brief: true },
  // The S3-compatible store of docker-compose.yml.
  versitygw: { package: 'github.com/versity/versitygw/cmd/versitygw', brief: true, nightly: true },
  prometheus: { package: 'github.com/prometheus/prometheus/cmd/prometheus', nightly: true },
  etcd: { package: 'go.etcd.io/etcd/server/v3', nightly: true },
  'kube-apiserver': {
    folder: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
    // A chart can query the Kubernetes version of the API server. These linker flags set this version in the API server.
    linkedWith: [
      ofVersion('gitVersion', `v${Object.values(kubernetesVersion).join('.')}`),
      ofVersion('gitMajor', kubernetesVersion.major),
      ofVersion('gitMinor', kubernetesVersion.minor),
    ],
    nightly: true,
  },
  // The Collector with the components that main.go lists.
  otelcol: { package: '.', nightly: true },
  // The Collector with Kafka and ClickHouse, for `npm run bench -- collector`.
  'otelcol-kafka': { package: '.', nightly: true },
} as const satisfies Readonly<Record<string, Recipe>>
export type Program = keyof typeof recipes

export const programNames = (nightly: boolean): readonly Program[] =>
  (Object.keys(recipes) as Program[]).filter(name => nightly || !('nightly' in recipes[name]))

/** Folders in which installers put Go. In some shells, PATH does not contain these folders. */
const homesOfGo = ['/usr/local/go/bin', '/usr/lib/go/bin', '/opt/homebrew/bin', '/snap/bin']

/**
 * Returns the environment of Go. Go's cache is normally below the home directory. If there is no home directory, the cache is in the folder
 * of the programs.
 */
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

/** Returns the path of the program. If the program is missing, builds it, which takes one to five minutes. Throws if the build fails. */
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
 * Downloads a Go module and returns its folder, for tests that need files of the module. The file programs/<folder>/go.mod pins the
 * version.
 */
export async function moduleFolder(folder: string, module: string): Promise<string> {
  const options = { cwd: join(import.meta.dirname, folder), env: goEnvironment(), timeout: buildTimeoutMs }
  const { stdout } = await run('go', ['mod', 'download', '-json', module], options).catch((error: unknown) => {
    throw new Error(`${module} could not be fetched. Check that Go is installed, and that the Go module proxy is reachable.`, {
      cause: error,
    })
  })
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir
}
