// Installs every client into its own folder, because two clients can need incompatible packages.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '.cache')

function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 })
    child.once('error', reject)
    child.once('exit', code => (code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} ended with ${code}`))))
  })
}

// Source of `load.mjs`, which is written into the folder of the installed packages. Through this module, a client imports packages from
// that folder.
const loader = `import { createRequire } from 'node:module'
export const load = specifier => import(specifier)
export const require = createRequire(import.meta.url)
`

async function installNode(folder, packages) {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies: packages }))
  await writeFile(join(folder, 'load.mjs'), loader)
  // Instrumentations often work with releases that are newer than their peer ranges allow.
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--loglevel=error'], folder)
}

async function installPython(folder, requirements) {
  await run('python3', ['-m', 'venv', 'venv'], folder)
  await run(join(folder, 'venv/bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...requirements], folder)
}

/** Installs the client and returns its folder. The folder is used again until the list of packages changes. */
export async function install(client) {
  const wanted = createHash('sha256')
    .update(JSON.stringify(client.packages ?? client.requirements))
    .digest('hex')
  const folder = join(cache, wanted.slice(0, 16))
  const stamp = join(folder, 'installed')
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return folder
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  if (client.requirements === undefined) await installNode(folder, client.packages)
  else await installPython(folder, client.requirements)
  await writeFile(stamp, wanted)
  return folder
}
