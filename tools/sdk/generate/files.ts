// The generated files of @svc/core, by their path below `packages/core/src/api/generated`.
import { apiClientFile, clientFile, fileName, imports, namespaces } from './clients.ts'
import { declaration, fileOf, isEnumeration, isUnstable, namesOf, types } from './types.ts'

const head = '// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.\n'

const all: readonly string[] = [...types.keys()].sort()
const typeFiles: readonly string[] = [...new Set(all.map(fileOf))].sort()

const ownerOf: ReadonlyMap<string, string> = new Map(all.flatMap(name => namesOf(name).map(each => [each, name] as const)))

function typesFile(file: string): string {
  const own = all.filter(name => fileOf(name) === file)
  const declarations = own.map(name => declaration(name))
  const foreign = declarations.flatMap(({ refers }) => [...refers]).filter(name => fileOf(ownerOf.get(name)!) !== file)
  const imported = imports(foreign, name => `./${fileName(fileOf(ownerOf.get(name)!))}.ts`)
  return `${imported}${imported === '' ? '' : '\n'}${declarations.map(({ text }) => text).join('\n')}`
}

function exportsOf(files: readonly string[]): string {
  return files
    .map(file => {
      const names = all
        .filter(name => fileOf(name) === file)
        .flatMap(name => namesOf(name).map(each => (isEnumeration(each) ? each : `type ${each}`)))
      return `export {\n${names.map(name => `  ${name},\n`).join('')}} from './types/${fileName(file)}.ts'\n`
    })
    .join('')
}

/** Returns the text of each file, by its path. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const file of typeFiles) files.set(`types/${fileName(file)}.ts`, typesFile(file))
  for (const namespace of namespaces) files.set(`clients/${fileName(namespace)}.ts`, clientFile(namespace))
  files.set('api-client.ts', apiClientFile())
  files.set('index.ts', `export { SvcAPIClient } from './api-client.ts'\n${exportsOf(typeFiles.filter(file => !isUnstable(file)))}`)
  files.set('unstable.ts', exportsOf(typeFiles.filter(isUnstable)))
  return new Map([...files].map(([path, text]) => [path, `${head}${text}`]))
}
