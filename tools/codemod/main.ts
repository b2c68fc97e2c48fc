// `npm run codemod -- PATHS` migrates an application from SDK v5 to v6.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { upgradeManifest } from './manifest.ts'
import { projectOf } from './project.ts'
import { moveScope } from './scope.ts'
import { upgrade } from './upgrade.ts'

const help = `npm run codemod -- PATHS [FLAGS]  migrates sources from SDK v5 to v6, as far as a program can

  --write         write the files; without it, only show the changes
  --from SCOPE    first rename imports, names and variables of the packages of a different vendor, for example @vendor

It reads .ts, .tsx, .mts, .cts, .js, .jsx, .mjs, .cjs and package.json below the paths, except in node_modules and dist. For a
place that only a person can change, it inserts a comment "SDK v6" and lists the place. A second run changes nothing.
docs/sdk/migrating-from-v5.md describes all changes.
`
const sources = /\.[cm]?[jt]sx?$/

function refuse(sentence: string): never {
  process.stderr.write(`codemod: ${sentence} --help lists the arguments.\n`)
  process.exit(2)
}

function* filesBelow(path: string): Generator<string> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) refuse(`there is no ${path}.`)
  if (found.isFile()) yield path
  else
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory() ? ['node_modules', 'dist', '.git'].includes(entry.name) : !entry.isFile()) continue
      yield* filesBelow(join(path, entry.name))
    }
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { write: { type: 'boolean' }, from: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    return refuse(`${(error as Error).message.split('.')[0]!}.`)
  }
}

const { values, positionals } = readArguments()
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}
if (positionals.length === 0) refuse('name a file or a folder.')
if (values.from !== undefined && !/^@[a-z][a-z-]*$/.test(values.from)) refuse(`--from needs a scope such as @vendor, not '${values.from}'.`)

// npm runs a script in the folder of the workspace. INIT_CWD contains the user's directory.
const from = process.env['INIT_CWD'] ?? process.cwd()
const files = positionals.flatMap(path => [...filesBelow(resolve(from, path))])
const before = new Map(
  files.filter(file => sources.test(file) || basename(file) === 'package.json').map(file => [file, readFileSync(file, 'utf8')]),
)
const texts = Object.fromEntries([...before].filter(([file]) => sources.test(file)))
const moved =
  values.from === undefined
    ? texts
    : Object.fromEntries(projectOf(texts).map(source => [source.getFilePath() as string, moveScope(source, values.from!)]))

const after = new Map<string, string>()
let left = 0
for (const source of projectOf(moved)) {
  const file = source.getFilePath() as string
  const result = upgrade(source)
  after.set(file, result.text)
  for (const { line, text } of result.changed) process.stdout.write(`${relative(from, file)}:${line}  ${text}\n`)
  for (const { line, text } of result.left) process.stdout.write(`${relative(from, file)}:${line}  change by hand: ${text}\n`)
  left += result.left.length
}
for (const [file, text] of before) {
  if (sources.test(file)) continue
  const manifest = upgradeManifest(text, values.from)
  if (manifest === undefined) continue
  after.set(file, manifest)
  process.stdout.write(`${relative(from, file)}  versions of SDK v6\n`)
}
const changed = [...after].filter(([file, text]) => before.get(file) !== text)
if (values.write) for (const [file, text] of changed) writeFileSync(file, text)
const outcome = values.write ? 'changed' : 'would change (--write changes them)'
process.stdout.write(`${before.size} files read, ${changed.length} ${outcome}, ${left} places to change by hand.\n`)
