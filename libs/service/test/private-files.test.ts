import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ensurePrivateDirectory, unusableDirectory } from '../src/files/index.ts'

const place = mkdtempSync(join(tmpdir(), 'svc-private-files-'))
afterAll(() => rmSync(place, { recursive: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('creates a private directory, or makes an existing one private with all of its files, but not the targets of links', () => {
  const fresh = join(place, 'a', 'b')
  ensurePrivateDirectory(fresh, 'SVC_DATA_DIR')
  expect(modeOf(fresh)).toBe('700')

  const [open, inner, file, elsewhere] = [
    join(place, 'open'),
    join(place, 'open/inner'),
    join(place, 'open/inner/file'),
    join(place, 'elsewhere'),
  ]
  mkdirSync(inner, { recursive: true })
  for (const path of [file, elsewhere]) writeFileSync(path, 'x')
  symlinkSync(elsewhere, join(open, 'link'))
  for (const path of [open, inner]) chmodSync(path, 0o777)
  for (const path of [file, elsewhere]) chmodSync(path, 0o666)
  ensurePrivateDirectory(open, 'SVC_DATA_DIR')
  expect([open, inner, file, elsewhere].map(modeOf)).toEqual(['700', '700', '600', '666'])
})

test.each<[string, () => void, string]>([
  [
    'belongs to somebody else',
    () => {
      throw Object.assign(new Error('EPERM: operation not permitted, chmod'), { code: 'EPERM' })
    },
    'other users can access it, and this user is not allowed to change its permissions',
  ],
  ['lies on a file system without permissions', () => {}, 'its file system has no permissions'],
])('rejects a directory that %s with a message', (_, chmod, reason) => {
  chmodSync(place, 0o755)
  expect(() => ensurePrivateDirectory(place, 'SVC_DATA_DIR', chmod)).toThrow(
    expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(reason) }),
  )
})

const denied = Object.assign(new Error('EACCES: permission denied, scandir'), { code: 'EACCES' })
const own = process.getuid!()
const sentence = (directory: string, failure: Partial<Parameters<typeof unusableDirectory>[2]> = {}) =>
  unusableDirectory(directory, 'SVC_DATA_DIR', { cause: denied, uid: own + 70_000, ...failure }).message

test('reports a directory of another user with the fix', () => {
  const whose = expect.stringMatching(new RegExp(`belongs to .*user ${own}\\)?, and this process runs as user ${own + 70_000}\\.`))
  expect(sentence(place)).toEqual(whose)
  expect(sentence(place)).toContain(`chown -R ${own + 70_000} ${place}`)
  writeFileSync(join(place, 'lock.sqlite'), '')
  expect(sentence(place, { path: join(place, 'lock.sqlite') })).toContain(`${join(place, 'lock.sqlite')} belongs to`)
  // The path is missing and has no owner, so the sentence names the owner of the existing directory above it.
  expect(sentence(join(place, 'not/there'))).toContain(`${place} belongs to`)
  expect(sentence(join(place, 'not/there'))).not.toContain('chown')
})

test('names no owner for a directory of this user, or for a failure unrelated to users', () => {
  expect(sentence(place, { uid: own })).toBe(`SVC_DATA_DIR=${place} cannot be used as a directory: EACCES: permission denied, scandir.`)
  expect(sentence(place, { cause: new Error('EROFS') })).toBe(`SVC_DATA_DIR=${place} cannot be used as a directory: EROFS.`)
})
