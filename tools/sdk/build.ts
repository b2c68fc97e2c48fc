// Builds the SDK's packages: one file of each form (ES module and CommonJS), its declarations and its source map. The declarations are written
// from the sources file by file (isolatedDeclarations), which needs no compiler.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build, type InlineConfig } from 'tsdown'

export const sdkFolder = join(import.meta.dirname, '../../packages')

/** Folders of the packages, by name. */
export const sdkPackages: readonly string[] = readdirSync(sdkFolder, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
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
    // No built-in of Node and no global of one runtime is taken for granted.
    platform: 'neutral',
    sourcemap: true,
    logLevel: 'warn',
    outExtensions: ({ format }) => ({ js: format === 'cjs' ? '.cjs' : '.mjs' }),
  } satisfies InlineConfig
  // One after the other: built at once, code and declarations share a third file.
  await build({ ...options, dts: false })
  await build({ ...options, dts: { dtsOnly: true }, clean: false })
}

/** Builds every package into its `dist`. */
export async function buildSdk(): Promise<void> {
  await Promise.all(sdkPackages.map(buildPackage))
}
