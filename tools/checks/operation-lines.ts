// Counts the lines of code of each operation. Comments, empty lines and tests are not counted. The lines of a module belong to an operation
// if no other operation imports the module.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '../../libs/api/src/operations.ts'
import { packageOf, readWorkspace, targetOf } from './workspace.ts'

export const mostLines = 80

const ofOperations = /^(?:libs\/api\/src\/[^/]+\/|services\/public-api\/src\/(?:operations\/|work\/preparations\.ts))/
const mayBelong = /^(?:libs\/query|services\/public-api)\/src\//

const codeLines = (text: string) =>
  text
    .replaceAll(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*/gm, '')
    .split(/\n\s*/)
    .filter(line => line !== '').length

export interface OperationLines {
  readonly average: number
  readonly largest: readonly (readonly [folder: string, lines: number])[]
}

export function operationLines(root: string): OperationLines {
  const { packages } = readWorkspace(root)
  const files = packages.flatMap(each => each.files).filter(({ development }) => !development)
  const exported = new Map<string, string>()
  for (const { name, folder } of packages.filter(each => /^(?:libs\/query|services\/public-api)$/.test(each.folder))) {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { readonly exports?: Record<string, string> }
    for (const [path, target] of Object.entries(manifest.exports ?? {})) exported.set(join(name, path), join(folder, target))
  }
  const importers = new Map<string, string[]>()
  for (const each of files.flatMap(({ imports }) => imports)) {
    const target = packageOf(each.specifier) === null ? targetOf(each) : exported.get(each.specifier)
    if (target !== undefined) importers.set(target, [...(importers.get(target) ?? []), each.from])
  }
  const own = new Set(files.flatMap(({ path }) => (ofOperations.test(path) ? path : [])))
  const isOwn = (path: string) => importers.get(path)?.every(from => own.has(from)) === true
  for (let before = 0; before < own.size; ) {
    before = own.size
    for (const { path } of files) if (mayBelong.test(path) && isOwn(path)) own.add(path)
  }
  const folders = new Map<string, number>()
  for (const { path, text } of files.filter(each => own.has(each.path))) {
    const folder = path
      .split('/')
      .slice(0, path.includes('/operations/') ? 5 : 4)
      .join('/')
    folders.set(folder, (folders.get(folder) ?? 0) + codeLines(text))
  }
  const lines = [...folders.values()].reduce((sum, each) => sum + each, 0)
  return { average: lines / operations.length, largest: [...folders].sort(([, a], [, b]) => b - a) }
}
