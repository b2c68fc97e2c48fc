// Entry point of `npm start`, `npm test` and the other scripts. This script needs only Node and npm. The script installs missing parts, and
// then runs the command's TypeScript program on a Node that supports TypeScript.
import { spawn } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBrowser } from './browser.mjs'
import { ensureNode, ensurePackages } from './install.mjs'
import { inspectPlatform } from './platform.mjs'
import { ensureWebApp } from './web.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const toolchain = join(root, '.toolchain')

/** @type {Record<string, readonly string[]>} */
const entryPoints = {
  start: ['apps/standalone/src/main.ts'],
  cluster: ['apps/cluster/src/main.ts'],
  svc: ['apps/svc/src/main.ts'],
  test: ['tools/suites/run.ts'],
  nightly: ['tools/suites/run.ts', '--nightly'],
  check: ['tools/suites/run.ts', '--static'],
  fix: ['tools/suites/run.ts', '--fix'],
  bench: ['bench/run.ts'],
  'pack:sdk': ['tools/sdk/pack.ts'],
  'generate:sdk': ['tools/sdk/generate.ts'],
  codemod: ['tools/codemod/main.ts'],
  pictures: ['apps/web/test/pictures.ts'],
}

const [command = '', ...args] = process.argv.slice(2)
const entry = entryPoints[command]
if (!entry) {
  process.stderr.write(`Unknown command '${command}'. Known: ${Object.keys(entryPoints).join(', ')}.\n`)
  process.exit(2)
}

const platform = inspectPlatform(process.env, toolchain)
if (!platform.ok) {
  process.stderr.write(`${platform.message}\n`)
  process.exit(1)
}

let nodePath
try {
  nodePath = await ensureNode(toolchain, platform.node)
  await ensurePackages(root, toolchain, nodePath)
} catch (error) {
  process.stderr.write(`Setting up failed: ${error.message}\nRun the same command again. Files that were already fetched are kept.\n`)
  process.exit(1)
}

const isHelp = args.some(arg => arg === '--help' || arg === '-h')
if ((command === 'test' || command === 'nightly') && !isHelp) ensureBrowser()

/** Builds the web app, and returns its directory. If the build of the web app fails, the API still starts. */
async function webDirectory() {
  if (command !== 'start' && command !== 'cluster') return {}
  if (process.env.SVC_WEB_DIR !== undefined) return {}
  try {
    return { SVC_WEB_DIR: await ensureWebApp(root, nodePath) }
  } catch (error) {
    process.stderr.write(`The web app could not be built, and is not served: ${error.message}\n`)
    return {}
  }
}
const web = await webDirectory()

const [script = '', ...fixed] = entry
const interactive = command === 'svc'
const child = spawn(nodePath, ['--disable-warning=ExperimentalWarning', join(root, script), ...fixed, ...args], {
  cwd: interactive ? (process.env.INIT_CWD ?? process.cwd()) : root,
  env: {
    // With libuv's default of 4 threads, the log's writes, decompression and file work would wait for each other.
    UV_THREADPOOL_SIZE: '8',
    // By default, glibc's malloc has an arena per thread, in which freed buffers stay allocated. Limiting malloc to two arenas saves 150 to
    // 270 MB under floods of requests and is not slower.
    MALLOC_ARENA_MAX: '2',
    // The compile cache keeps the compiled sources, from which Node has removed the types, so that a restarted process or thread does not
    // compile them again.
    NODE_COMPILE_CACHE: join(root, '.cache', 'compiled'),
    ...web,
    ...process.env,
    PATH: `${dirname(nodePath)}:${process.env.PATH}`,
  },
  // The IPC channel carries no messages. Its only purpose is to end the service when this process is killed: the channel then closes, and
  // the service ends.
  stdio: command === 'start' || command === 'cluster' ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
  // The program has its own process group, so that Ctrl-C reaches only this process (and npm). This process forwards exactly one signal,
  // because a second signal would abort the drain.
  detached: !interactive && process.platform !== 'win32',
})

const repeatedWithinMs = 500
let forwardedAt = Number.NEGATIVE_INFINITY
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // One Ctrl-C arrives as two signals in quick succession: one from the terminal and one from npm.
    if (performance.now() - forwardedAt < repeatedWithinMs) return
    forwardedAt = performance.now()
    child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
  })
}
// npm passes a stop signal to the shell that started this process, and that shell ends without forwarding the signal.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, 500)
  watch.unref()
}
child.on('error', error => {
  process.stderr.write(`${nodePath} could not be started: ${error.message}\n`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)))
