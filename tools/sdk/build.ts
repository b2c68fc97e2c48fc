// Builds the packages of the SDK as ES modules and as CommonJS, and packs them. Each export of the SDK declares its type
// (isolatedDeclarations), so the bundler tsdown creates the declarations of each source file separately, without tsc.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, type InlineConfig } from 'tsdown'
import { lockFile } from '../../libs/dev-servers/src/lock-file.ts'

const root = resolve(import.meta.dirname, '../..')
export const sdkFolder = join(root, 'packages')
export const pnpm = join(root, '.toolchain/node_modules/pnpm/bin/pnpm.cjs')

export const sdkPackages: readonly string[] = readdirSync(sdkFolder, { withFileTypes: true })
  .filter(entry => entry.isDirectory() && existsSync(join(sdkFolder, entry.name, 'package.json')))
  .map(entry => entry.name)
  .sort()

async function buildPackage(name: string): Promise<void> {
  const options = {
    config: false,
    cwd: join(sdkFolder, name),
    tsconfig: join(sdkFolder, 'tsconfig.json'),
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    target: 'es2022',
    // The bundle uses no module of Node, and no global that only one runtime has.
    platform: 'neutral',
    sourcemap: true,
    logLevel: 'warn',
    outExtensions: ({ format }) => ({ js: format === 'cjs' ? '.cjs' : '.mjs' }),
  } satisfies InlineConfig
  // Both builds write to the same file, so the builds run one after the other.
  await build({ ...options, dts: false })
  await build({ ...options, dts: { dtsOnly: true }, clean: false })
}

/** Maximum time to wait for another process that packs the SDK. This time is long enough for a busy machine. */
const lockTimeoutMs = 120_000

/** Writes the tarball of each package, in the form in which the package is published. Only one process at a time can build the packages. */
export async function packSdk(target: string): Promise<void> {
  if (!existsSync(pnpm)) throw new Error(`pnpm is missing at ${pnpm}. Run npm run check once: it installs what the workspace needs.`)
  mkdirSync(target, { recursive: true })
  mkdirSync(join(root, '.cache'), { recursive: true })
  const unlock = await lockFile(join(root, '.cache/pack-sdk.lock'), lockTimeoutMs)
  try {
    await pack(target)
  } finally {
    unlock()
  }
}

async function pack(target: string): Promise<void> {
  await Promise.all(sdkPackages.map(buildPackage))
  // The code calls pnpm, because pnpm replaces the version ranges of the workspace and the fields that publishConfig overrides. npm would
  // leave these version ranges and fields unchanged.
  const args = [pnpm, '--filter', './packages/*', '--recursive', 'pack', '--pack-destination', target]
  execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
