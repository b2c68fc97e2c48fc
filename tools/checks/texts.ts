// Returns the texts of the project's sources and documents.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

// Folders that are left out. A folder whose name begins with a dot contains a cache or data. Recorded payloads are left out, because they
// contain ids that look like references.
const apart = /(^|\/)(\.[^/]+|node_modules|dist|data|golden|recorded|fixtures)(\/|$)/

export const texts = (endings: string): { readonly path: string; readonly text: string }[] =>
  globSync(`**/*.{${endings}}`, { cwd: root, exclude: path => apart.test(path) })
    .sort()
    .map(path => ({ path, text: read(path) }))
