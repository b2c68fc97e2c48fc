// Programs that check what is for others to run: the chart, rules. Each is built once from the Go module beside this file, whose sums pin every
// byte of it; what was built stays in the repository's cache.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { lockFile } from '../../libs/dev-servers/src/lock-file.ts'

const run = promisify(execFile)
const cache = resolve(import.meta.dirname, '../../.cache/programs')
/** A busy machine that has none of its modules yet. */
const buildTimeoutMs = 1_500_000

/** What each is built from, in its folder. */
export const programs = {
  helm: 'helm.sh/helm/v3/cmd/helm',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform',
  // Without the clients of every cloud, by which Prometheus finds targets.
  promtool: 'github.com/prometheus/prometheus/cmd/promtool',
  // Reads compose files as Docker Compose does.
  compose: 'github.com/compose-spec/compose-go/v2/cmd',
} as const
export type Program = keyof typeof programs

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
  await run('go', ['build', '-tags=remove_all_sd', '-trimpath', '-ldflags=-s -w', '-o', to, programs[program]], {
    cwd: folder,
    env: goEnvironment(),
    timeout: buildTimeoutMs,
  }).catch((error: NodeJS.ErrnoException & { readonly stderr?: string }) => {
    const isMissing = error.code === 'ENOENT'
    const what = isMissing
      ? `Building ${program} wants Go, 1.21 or newer, on this machine (golang in most package lists).`
      : `${program} could not be built; is the Go module proxy reachable?\n${error.stderr?.slice(-2000) ?? ''}`
    throw new Error(what, { cause: error })
  })
}

/** The path of a program, built when it is not there: one to three minutes the first time. Throws a sentence when it cannot be had. */
export async function ensureProgram(program: Program): Promise<string> {
  const folder = join(import.meta.dirname, program)
  const pinned = ['go.mod', 'go.sum'].map(file => readFileSync(join(folder, file)))
  const hash = createHash('sha256').update(Buffer.concat(pinned)).digest('hex').slice(0, 12)
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
