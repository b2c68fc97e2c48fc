// Every file that a document names must exist.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const isThere = (path: string) => existsSync(join(root, path))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const documents = globSync('**/*.md', { cwd: root, exclude: path => /(^|\/)(\.[^/]|node_modules(\/|$)|data(\/|$))/.test(path) })
  // The changelog and the decisions may name files that were deleted later.
  .filter(path => path !== 'CHANGELOG.md' && !path.startsWith('docs/adr/'))
  .sort()

/**
 * Returns the paths that a document names in backticks. Each path must exist relative to the root, or relative to the folder of the
 * document.
 */
const namedIn = (text: string) =>
  [...text.matchAll(/`((?:apps|bench|deploy|docs|libs|services|tools)\/[\w./-]*\w)`/g)].map(([, path]) => path!)
const linkedIn = (text: string) => [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, path]) => path!)

test.each(documents)('files and folders that %s names exist', document => {
  const text = read(document)
  expect(namedIn(text).filter(path => !isThere(path) && !isThere(join(dirname(document), path)))).toEqual([])
  expect(linkedIn(text).filter(path => !isThere(join(dirname(document), path)))).toEqual([])
})

test('no line of the README is longer than 120 characters', () => {
  expect(
    read('README.md')
      .split('\n')
      .filter(line => line.length > 120),
  ).toEqual([])
})

test('the tests that the threat model names exist', () => {
  const named: string[] = []
  const missing: string[] = []
  for (const line of read('docs/threat-model.md').split('\n')) {
    // A path without a folder names a file in the folder of the previous path on the line.
    let folders: readonly string[] = ['', 'services', 'apps']
    for (const [, path] of line.matchAll(/`([^`]+\.test\.ts)`/g)) {
      named.push(path!)
      const found = [...folders, '', 'services', 'apps'].map(folder => join(folder, path!)).find(isThere)
      if (found === undefined) missing.push(path!)
      else folders = [dirname(found)]
    }
  }
  expect(missing).toEqual([])
  expect(named.length).toBeGreaterThan(50)
})
