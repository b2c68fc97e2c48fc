// The golden rows of a recorded client are in the folder of its dialect. The golden rows of handmade requests are beside the tests.
import { globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const folders = new Map(
  globSync(['src/dialects/*/fixtures/*', 'test/fixtures/*'], { cwd: root }).map(folder => [basename(folder), join(root, folder)]),
)

/** Throws if no dialect has this client. */
export function folderOf(client: string): string {
  const folder = folders.get(client)
  if (folder === undefined) throw new Error(`Make src/dialects/<name>/fixtures/${client} for the dialect that ${client} speaks.`)
  return folder
}

export interface GoldenFile {
  /** Format: `client/case.json`. */
  readonly name: string
  readonly path: string
}

export const goldenFiles = (): readonly GoldenFile[] =>
  [...folders.values()]
    .flatMap(folder => globSync('*.json', { cwd: folder }).map(file => join(folder, file)))
    .map(path => ({ name: `${basename(dirname(path))}/${basename(path)}`, path }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
