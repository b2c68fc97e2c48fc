import { zstdCompressSync } from 'node:zlib'
import { anonymousMB } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { authorization, startTestEngine } from './engine.ts'

const MB = 1_000_000
const bodyMB = 500

test('a body of 500 MB that arrives as some compressed kilobytes is not held in memory', async () => {
  await using it = await startTestEngine({ maxInsertBytes: 2 * bodyMB * MB })
  const line = `${'a'.repeat(999)}\n`
  const body = zstdCompressSync(line.repeat((bodyMB * MB) / line.length))
  expect(body.length).toBeLessThan(MB)
  // The table does not exist. The engine reports the missing table only after it has received the whole body.
  const insert = (sent: Uint8Array<ArrayBuffer>) =>
    it.post(sent, { query: 'INSERT INTO nowhere FORMAT TSV' }, { authorization, 'content-encoding': 'zstd' })
  expect(await insert(zstdCompressSync(line))).toMatchObject({ status: 404 })

  const before = anonymousMB(it.engine.pid!)
  let most = 0
  const sampling = setInterval(() => {
    most = Math.max(most, anonymousMB(it.engine.pid!))
  }, 10)
  expect(await insert(body)).toMatchObject({ status: 404 })
  clearInterval(sampling)
  expect(most - before).toBeLessThan(bodyMB / 4)
})
