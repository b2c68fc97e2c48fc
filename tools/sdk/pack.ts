// `npm run pack:sdk` writes a tarball of each package of the SDK into dist/packages.
import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { packSdk } from './build.ts'

const target = resolve(import.meta.dirname, '../../dist/packages')
const flags = process.argv.slice(2)

if (flags.length > 0) {
  process.stdout.write('npm run pack:sdk  builds the packages of the SDK and writes dist/packages/*.tgz. It accepts no arguments.\n')
  process.exit(flags.includes('--help') || flags.includes('-h') ? 0 : 2)
}
rmSync(target, { recursive: true, force: true })
await packSdk(target)
process.stdout.write(
  readdirSync(target)
    .map(file => `${join('dist/packages', file)}\n`)
    .join(''),
)
