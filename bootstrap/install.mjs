// Installs missing tools and packages: a new enough Node, pnpm, the workspace's packages. Each step writes a marker file when it is
// complete. An interrupted step is repeated, and a completed step costs a few file reads.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pin } from './pinned.mjs'
import { nodePackages } from './platform.mjs'

export const pnpm = {
  name: 'pnpm',
  version: '10.34.9',
  integrity: 'sha512-9JtajqD97bRLs8DB1ldQkqU8KVDZW3rRXfEfF5dId6LeOgHAfpNOmyjOcW5RwJqUlixzBtCb4uHksYqMh2L9Mg==',
  megabytes: 5,
  unpackedMegabytes: 23,
}
const workspaceMegabytes = 250

const say = text => process.stderr.write(`${text}\n`)

/** Runs a program until it exits. Rejects if the program fails. With `quiet`, the error contains the last part of the program's output. */
function run(command, args, { cwd, quiet = false, env = process.env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2] })
    let tail = ''
    child.stdout?.on('data', chunk => (tail = (tail + chunk).slice(-4000)))
    child.stderr?.on('data', chunk => (tail = (tail + chunk).slice(-4000)))
    child.on('error', error => reject(new Error(`${command} could not be started: ${error.message}`)))
    child.on('exit', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.slice(0, 3).join(' ')} ended with ${signal ?? code}\n${tail}`)),
    )
  })
}

function directoryBytes(directory) {
  let total = 0
  try {
    for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
      if (entry.isFile()) total += statSync(join(entry.parentPath ?? entry.path, entry.name)).size
    }
  } catch {
    // npm renames folders while it unpacks, so one count can miss a folder.
  }
  return total
}

const specOf = tool => `${tool.name}@${tool.version}`

/**
 * Installs a package into the toolchain folder with npm. npm unpacks while it downloads, so the growth of the folder shows the progress. If
 * the checksum of the package differs from the pinned checksum, the package is removed and the function rejects.
 */
export async function fetchTool(toolchain, tool, what) {
  mkdirSync(toolchain, { recursive: true })
  say(`Fetching ${what}: about ${tool.megabytes} MB to download, ${tool.unpackedMegabytes} MB on disk.`)
  const before = directoryBytes(toolchain)
  const timer = setInterval(() => {
    const percent = Math.min(99, Math.round(((directoryBytes(toolchain) - before) / 1e6 / tool.unpackedMegabytes) * 100))
    say(`  ${what}: ${Math.max(0, percent)} %`)
  }, 2000)
  try {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    const args = ['install', '--prefix', toolchain, '--no-audit', '--no-fund', '--ignore-scripts', '--silent']
    // npm removes packages that the command does not name, so every call names all tools.
    const others = knownTools.filter(each => toolSpecs(toolchain).includes(specOf(each)) && each.name !== tool.name)
    pin(toolchain, [...others, tool])
    await run(npm, args, { cwd: toolchain, quiet: true })
    rememberTool(toolchain, specOf(tool))
  } finally {
    clearInterval(timer)
  }
  say(`  ${what}: done`)
}

const knownTools = [pnpm, ...Object.values(nodePackages)]
const toolList = toolchain => join(toolchain, 'tools.json')
const toolSpecs = toolchain => (existsSync(toolList(toolchain)) ? JSON.parse(readFileSync(toolList(toolchain), 'utf8')) : [])
const rememberTool = (toolchain, spec) => writeFileSync(toolList(toolchain), JSON.stringify([...new Set([...toolSpecs(toolchain), spec])]))

/** Ensures that a new enough Node is available, and returns the path of its binary. */
export async function ensureNode(toolchain, node) {
  if (!node.package) return node.path
  await fetchTool(toolchain, node.package, `Node ${node.package.version}`)
  await run(node.path, ['--version'], { cwd: toolchain, quiet: true })
  writeFileSync(`${node.path}.complete`, '')
  return node.path
}

/**
 * Hashes all files that determine the contents of node_modules. The toolchain’s own manifest is excluded, because fetching pnpm rewrites
 * it.
 */
export function fingerprint(root, nodePath) {
  const hash = createHash('sha256').update(nodePath).update(pnpm.version)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) hash.update(readFileSync(join(root, file)))
  for (const group of ['libs', 'services', 'apps', 'packages', '.']) {
    const directory = join(root, group)
    if (!existsSync(directory)) continue
    for (const name of readdirSync(directory).sort()) {
      const manifest = join(directory, name, 'package.json')
      if (!name.startsWith('.') && name !== 'node_modules' && existsSync(manifest)) hash.update(name).update(readFileSync(manifest))
    }
  }
  return hash.digest('hex')
}

/** Installs the workspace's packages when the lockfile, a manifest or Node changed since the last complete install. */
export async function ensurePackages(root, toolchain, nodePath) {
  const mark = join(root, 'node_modules', '.installed')
  const wanted = fingerprint(root, nodePath)
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return
  const pnpmPath = join(toolchain, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs')
  if (!toolSpecs(toolchain).includes(specOf(pnpm)) || !existsSync(pnpmPath)) {
    await fetchTool(toolchain, pnpm, `pnpm ${pnpm.version}`)
  }
  say(
    `Installing packages: about ${workspaceMegabytes} MB to download if the machine has none of them. Packages that are already installed are kept, and an interrupted installation continues.`,
  )
  rmSync(mark, { force: true })
  // Runs pnpm with the same Node that later runs the program. With an older version of Node, pnpm would skip native packages that require a
  // newer version.
  const env = { ...process.env, PATH: `${dirname(nodePath)}:${process.env.PATH}` }
  const lockfile = `pnpm-lock.yaml must match every package.json: after a change by hand, "npx pnpm@${pnpm.version} install --lockfile-only" writes it.`
  await run(nodePath, [pnpmPath, 'install', '--prefer-offline', '--frozen-lockfile', '--config.confirmModulesPurge=false'], {
    cwd: root,
    env,
  }).catch(error => {
    throw new Error(`${error.message}\n${lockfile}`, { cause: error })
  })
  writeFileSync(mark, wanted)
}
