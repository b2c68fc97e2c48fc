import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ensurePrivateDirectory, unusableDirectory } from '../src/files/index.ts'

const place = mkdtempSync(join(tmpdir(), 'svc-private-files-'))
afterAll(() => rmSync(place, { recursive: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('a directory is made private, or becomes it to its last file; what a link points to stays as it is', () => {
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
    'it is open to others, and this user may not close it',
  ],
  ['lies on a file system without permissions', () => {}, 'its file system knows no permissions'],
])('one that %s is refused with a sentence', (_, chmod, reason) => {
  chmodSync(place, 0o755)
  expect(() => ensurePrivateDirectory(place, 'SVC_DATA_DIR', chmod)).toThrow(
    expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(reason) }),
  )
})

const denied = Object.assign(new Error('EACCES: permission denied, scandir'), { code: 'EACCES' })
const own = process.getuid!()
const sentence = (directory: string, failure: Partial<Parameters<typeof unusableDirectory>[2]> = {}) =>
  unusableDirectory(directory, 'SVC_DATA_DIR', { cause: denied, uid: own + 70_000, ...failure }).message

test('one that is another user’s is reported, with what to do', () => {
  const whose = expect.stringMatching(new RegExp(`belongs to .*user ${own}\\)?, and this process runs as user ${own + 70_000}\\.`))
  expect(sentence(place)).toEqual(whose)
  expect(sentence(place)).toContain(`chown -R ${own + 70_000} ${place}`)
  writeFileSync(join(place, 'lock.sqlite'), '')
  expect(sentence(place, { path: join(place, 'lock.sqlite') })).toContain(`${join(place, 'lock.sqlite')} belongs to`)
  // The error names the existing parent, because the missing path has no owner.
  expect(sentence(join(place, 'not/there'))).toContain(`${place} belongs to`)
  expect(sentence(join(place, 'not/there'))).not.toContain('chown')
})

test('of one’s own directory, and of a failure that has nothing to do with users, no owner is said', () => {
  expect(sentence(place, { uid: own })).toBe(`SVC_DATA_DIR=${place} cannot be used as a directory: EACCES: permission denied, scandir.`)
  expect(sentence(place, { cause: new Error('EROFS') })).toBe(`SVC_DATA_DIR=${place} cannot be used as a directory: EROFS.`)
})
