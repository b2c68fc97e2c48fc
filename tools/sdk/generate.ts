// `npm run generate:sdk` writes the API client of @svc/core from the operations in libs/api.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { generatedFiles } from './generate/files.ts'

const flags = process.argv.slice(2)
if (flags.length > 0) {
  process.stdout.write('npm run generate:sdk  writes packages/core/src/api/generated from libs/api. It accepts no arguments.\n')
  process.exit(flags.includes('--help') || flags.includes('-h') ? 0 : 2)
}

const target = resolve(import.meta.dirname, '../../packages/core/src/api/generated')
rmSync(target, { recursive: true, force: true })
for (const [path, text] of generatedFiles()) {
  const file = join(target, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
