import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../temporary-directory.ts'
import { preparedDirectory } from './prepared.ts'

test('suites that request a directory at the same time get copies of the same directory, and a failed preparation is retried', async () => {
  await using directory = await temporaryDirectory()
  let made = 0
  async function make(path: string): Promise<void> {
    made += 1
    await mkdir(path)
    writeFileSync(join(path, `left by ${made}`), '')
    if (made === 1) throw new Error('not made')
    writeFileSync(join(path, 'file'), 'as it was made')
  }
  const ask = (name: string) => preparedDirectory('model', join(directory.path, name), make, directory.path)
  await expect(ask('first')).rejects.toThrow('not made')
  await Promise.all(['a', 'b', 'c'].map(ask))
  expect(made).toBe(2)
  writeFileSync(join(directory.path, 'a', 'file'), 'changed by its owner')
  await ask('d')
  for (const name of ['b', 'c', 'd']) expect(readFileSync(join(directory.path, name, 'file'), 'utf8')).toBe('as it was made')
  expect(() => readFileSync(join(directory.path, 'b', 'left by 1'))).toThrow('ENOENT')
})
