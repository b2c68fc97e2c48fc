// Builds the web app only if its sources have changed. A restart or a change of the server therefore needs no build.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Files that determine the build's output. */
const sources = [
  'apps/web/src',
  'apps/web/index.html',
  'apps/web/vite.config.ts',
  'apps/web/package.json',
  'libs/api/src',
  'pnpm-lock.yaml',
]

/** Returns the files below a path in a fixed order. Returns the path itself if the path is a file. */
function filesOf(path) {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap(name => filesOf(join(path, name)))
}

export function sourceHash(root) {
  const hash = createHash('sha256')
  for (const path of sources.flatMap(source => filesOf(join(root, source)))) {
    if (path.endsWith('.test.ts')) continue
    hash.update(path.slice(root.length)).update(readFileSync(path))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Resolves with the directory of the built files. Rejects with the build's output. */
export async function ensureWebApp(root, nodePath, say = text => process.stderr.write(`${text}\n`)) {
  const builds = join(root, '.cache', 'web')
  const directory = join(builds, sourceHash(root))
  if (existsSync(join(directory, 'index.html'))) return directory
  say('Building the web app: this takes some seconds, once after each change of its sources.')
  // Builds into a temporary directory and then renames this directory, so that an interrupted build leaves nothing at the final path.
  const unfinished = `${directory}.${process.pid}`
  await build(root, nodePath, unfinished)
  keepFirst(unfinished, directory)
  for (const name of readdirSync(builds)) {
    if (join(builds, name) !== directory && !isOfRunning(name)) rmSync(join(builds, name), { recursive: true, force: true })
  }
  return directory
}

/**
 * Moves a finished build to its final directory. If another process has already moved its own build there, the build of that process
 * stays, because that process can be serving the files.
 */
function keepFirst(unfinished, directory) {
  try {
    renameSync(unfinished, directory)
  } catch (error) {
    if (!existsSync(join(directory, 'index.html'))) throw error
    rmSync(unfinished, { recursive: true })
  }
}

/** True if the process that builds into this directory is still running. */
function isOfRunning(name) {
  const pid = Number(name.split('.')[1])
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function build(root, nodePath, outDir) {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = ['--disable-warning=ExperimentalWarning', vite, 'build', join(root, 'apps', 'web'), '--outDir', outDir, '--logLevel', 'warn']
  return new Promise((resolve, reject) => {
    // Pages are always built for production, even if a test starts the build.
    const child = spawn(nodePath, args, { cwd: root, env: { ...process.env, NODE_ENV: 'production' }, stdio: ['ignore', 'pipe', 'pipe'] })
    let tail = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (tail = (tail + chunk).slice(-4000)))
    child.on('error', error => reject(new Error(`Vite could not be started: ${error.message}`)))
    child.on('exit', (code, signal) => (code === 0 ? resolve() : reject(new Error(`The build ended with ${signal ?? code}\n${tail}`))))
  })
}
