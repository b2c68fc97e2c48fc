// `npm run pack:sdk`: builds the SDK's packages and leaves a tarball of each, as the registry would get it, in dist/packages.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildSdk, sdkFolder, sdkPackages } from './build.ts'

const root = resolve(import.meta.dirname, '../..')
const pnpm = join(root, '.toolchain/node_modules/pnpm/bin/pnpm.cjs')
const flags = process.argv.slice(2)

if (flags.length > 0) {
  process.stdout.write('npm run pack:sdk  builds the packages of the SDK and writes dist/packages/*.tgz. It takes no arguments.\n')
  process.exit(flags.includes('--help') || flags.includes('-h') ? 0 : 2)
}
if (!existsSync(pnpm)) throw new Error(`pnpm is missing at ${pnpm}. Run npm run check once: it installs what the workspace needs.`)

const target = join(root, 'dist/packages')
rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
await buildSdk()
for (const name of sdkPackages) {
  // It replaces the fields of publishConfig and the workspace's ranges, which npm pack leaves.
  execFileSync(process.execPath, [pnpm, 'pack', '--pack-destination', target], {
    cwd: join(sdkFolder, name),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
process.stdout.write(
  `${readdirSync(target)
    .map(file => `dist/packages/${file}`)
    .join('\n')}\n`,
)
