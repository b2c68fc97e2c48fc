import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { lockDataDirectory } from '../src/data-directory/data-directory.ts'
import { ensureOwnDirectory } from '../src/data-directory/own-directory.ts'

const place = mkdtempSync(join(tmpdir(), 'svc-own-directory-'))
afterAll(() => rmSync(place, { recursive: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** A name with / at its end creates a directory. */
function openDirectory(name: string, entries: readonly string[]): string {
  const directory = join(place, name)
  mkdirSync(directory)
  for (const entry of entries) {
    const path = join(directory, entry)
    if (entry.endsWith('/')) mkdirSync(path)
    else writeFileSync(path, '')
    chmodSync(path, entry.endsWith('/') ? 0o755 : 0o644)
  }
  chmodSync(directory, 0o755)
  return directory
}

test('rejects a directory with files of others, and changes neither the directory nor its files', () => {
  const home = openDirectory('home', ['Music/', 'letter.txt', 'log/', 'notes.txt'])
  expect(() => lockDataDirectory(home)).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      message: `SVC_DATA_DIR=${home} contains other files (Music, letter.txt, log, …), but no data of this server. Choose an empty directory, or one that does not exist yet.`,
    }),
  )
  expect(['', 'Music', 'letter.txt', 'log', 'notes.txt'].map(name => modeOf(join(home, name)))).toEqual(['755', '755', '644', '755', '644'])
  expect(readdirSync(home)).toHaveLength(4)
})

test('also rejects a private directory with files of others, and creates nothing in it', () => {
  const home = openDirectory('closed', ['letter.txt'])
  chmodSync(home, 0o700)
  expect(() => lockDataDirectory(home, 'SVC_CLUSTER_DIR')).toThrow(`SVC_CLUSTER_DIR=${home} contains other files (letter.txt)`)
  expect(readdirSync(home)).toEqual(['letter.txt'])
})

test.each([
  ['of an instance', ['column-store/', 'lock.sqlite', 'log/', 'relational/', 'secrets.json']],
  ['whose first start was cut off at the lock', ['lock.sqlite']],
  ['that was restored without its lock', ['log/', 'secrets.json']],
  ['into which a log was brought', ['log/', 'log/data.mdb']],
  ['with a relational store alone', ['relational/', 'relational/PG_VERSION']],
  ['with a column store alone', ['column-store/', 'column-store/metadata/']],
  ['of a propagator on brokers', ['propagator/']],
  ['of a merger on brokers', ['merger/']],
])('makes every file of a directory %s private', (name, entries) => {
  const directory = openDirectory(name, entries)
  ensureOwnDirectory(directory, 'SVC_DATA_DIR')
  const expected = entries.map(entry => (entry.endsWith('/') ? '700' : '600'))
  expect(['', ...entries].map(entry => modeOf(join(directory, entry)))).toEqual(['700', ...expected])
})

test('treats a volume with only lost+found as empty, and leaves lost+found unchanged', () => {
  const volume = openDirectory('volume', ['lost+found/'])
  ensureOwnDirectory(volume, 'SVC_DATA_DIR')
  expect(['', 'lost+found'].map(name => modeOf(join(volume, name)))).toEqual(['700', '755'])
})

test('rejects a path that is not a directory with a message', () => {
  const file = join(place, 'file')
  writeFileSync(file, '')
  expect(() => ensureOwnDirectory(file, 'SVC_DATA_DIR')).toThrow(`SVC_DATA_DIR=${file} cannot be used as a directory: `)
})

/** Simulates a Kubernetes pod. The volume is prepared for `fsGroup: 1000`, and the process has no capabilities. */
describe.skipIf(process.getuid?.() !== 0)('a volume that belongs to root and is writable for the group of the process', () => {
  const code = `import { ensureOwnDirectory } from '${new URL('../src/data-directory/own-directory.ts', import.meta.url).href}'
ensureOwnDirectory(process.argv[1], 'SVC_DATA_DIR')`
  const ensure = (directory: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', code, directory], { uid: 1000, gid: 1000, cwd: '/', encoding: 'utf8' })

  test.each([
    ['2777', 0o2777],
    ['2775', 0o2775],
  ])('with mode %s cannot be made private, but a directory below it can be created', (name, mode) => {
    chmodSync(place, 0o755)
    const volume = join(place, `volume-${name}`)
    mkdirSync(volume)
    chownSync(volume, 0, 1000)
    chmodSync(volume, mode)
    expect(ensure(volume).stderr).toContain('other users can access it, and this user is not allowed to change its permissions')
    const state = join(volume, 'state')
    expect(ensure(state)).toMatchObject({ status: 0, stderr: '' })
    expect(modeOf(state)).toBe('700')
    expect(ensure(state).status).toBe(0)
  })
})
