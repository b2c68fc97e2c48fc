// Checks that `patches/kafkajs@2.2.4.patch` is applied, because the log needs the changes that this patch makes to kafkajs.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

const require = createRequire(import.meta.url)
const source = (path: string) => readFileSync(require.resolve(`kafkajs/src/${path}.js`), 'utf8')

test('kafkajs is installed with its patch', () => {
  expect(source('network/requestQueue/index')).toContain('else if (scheduleAt <= 0)')
  expect(source('network/requestQueue/index')).toContain('socket.writableLength > 0')
  expect(source('network/connection')).toContain('openSocket')
  expect(source('network/connection')).toContain('isCurrent()')
  expect(source('network/socket')).toContain("socket.on('close', onEnd)")
  expect(source('network/connection')).toContain('requestPayload.buffers')
  expect(source('protocol/encoder')).toContain('BY_REFERENCE')
  expect(source('consumer/consumerGroup')).toContain("name: 'KafkaJSOffsetOutOfRange'")
  expect(source('consumer/runner')).toContain('isEmptyDueToFiltering() && !this.eachBatch')
  expect(source('consumer/runner')).toContain('joinIsDue')
  expect(source('consumer/filterAbortedMessages')).toContain('.sort(')
  expect(source('protocol/requests/fetch/v4/decodeMessages')).toContain('lastOffsetDelta')
  expect(source('producer/groupMessagesPerPartition')).toContain('.push(message)')
})

test('the patched checksum equals the protocol’s checksum and runs in native code', () => {
  const crc32C = require('kafkajs/src/protocol/recordBatch/crc32C') as (buffers: readonly Buffer[]) => number
  expect(crc32C([Buffer.from('123456789')])).toBe(0xe3069283)
  expect(crc32C([Buffer.from('1234'), Buffer.from(''), Buffer.from('56789')])).toBe(0xe3069283)
  expect(crc32C.toString()).toContain('native')
})

test('the lockfile has the form that the bootstrap’s pnpm reads', () => {
  const lockfile = readFileSync(new URL('../../../../pnpm-lock.yaml', import.meta.url), 'utf8')
  // pnpm 11 and newer write only the hash of the patch. pnpm 10 then refuses an install with a frozen lockfile. To repair the lockfile,
  // run: npx pnpm@10.34.9 install --lockfile-only
  expect(lockfile).toMatch(
    /patchedDependencies:\n {2}kafkajs@2\.2\.4:\n {4}hash: [0-9a-f]{64}\n {4}path: patches\/kafkajs@2\.2\.4\.patch\n/,
  )
})
