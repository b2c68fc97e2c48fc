import type { EventLog } from '@svc-server/log'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { topicNames } from '@svc-server/modes/names'
import { encodeEntity } from '@svc-server/schema/entity'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../src/run.ts'

let directory: TemporaryDirectory
let log: EventLog

beforeAll(async () => {
  directory = await temporaryDirectory()
  log = await openEmbeddedLog({ directory: `${directory.path}/log`, topics: topicSpecs({ embedded: true, enabledReaders: [] }) })
})
afterAll(async () => {
  await log.close()
  await directory.remove()
})

async function svc(...argv: string[]) {
  const lines: string[] = []
  const errors: string[] = []
  const unused = () => Promise.reject(new Error('not part of this test'))
  const context = {
    ...{ keys: unused, relational: unused, columnStore: unused, migrations: unused, log: async () => log },
    ...{ writeMode: 'events_only' as const, servicesRunning: true, print: (line: string) => void lines.push(line) },
  }
  const code = await runCommand(argv, context, line => errors.push(line))
  return { code, out: lines.join('\n'), error: errors.join('\n') }
}

async function nextMillisecond(): Promise<void> {
  for (const at = Date.now(); Date.now() === at; ) await new Promise(resolve => setImmediate(resolve))
}

describe('topics', () => {
  test('lists every topic, and the newest records of one topic with the fields of their envelopes', async () => {
    const batch = {
      projectId: 'chat',
      apiKey: 'pk',
      sdkName: 'python',
      sdkVersion: '4.7.0',
      ingestionVersion: 3,
      receivedAtMs: 1,
      ingestId: 'i',
      contentEncoding: 'identity' as const,
      decodedBytes: 0,
      spanCount: 7,
      payload: new Uint8Array(),
      traceAttributes: null,
    }
    await log.append(topicNames.staging, [{ key: Buffer.from('chat/0af7'), value: encodeSpanBatch(batch) }])
    const entity = {
      ...{ projectId: 'chat', entityType: 'trace' as const, entityId: '0af9', versionMs: 12, firstMs: 1, createdMs: 1, root: null },
      ...{ sources: [], fields: [], leaves: [], tags: [], retired: [], legacy: true, legacyChild: false },
    }
    await log.append(topicNames.staging, [{ key: Buffer.from('chat/0af9'), value: encodeEntity(entity) }])
    // The wait separates the append times, because records of two partitions have no fixed order within a millisecond.
    await nextMillisecond()
    await log.append(topicNames.staging, [{ key: Buffer.from('chat/0af8'), value: Buffer.from('not a record') }])
    expect((await svc('topics')).out).toMatch(/spans\.staging +2 +3 /)
    const shown = await svc('topics', 'spans.staging')
    expect(shown.out).toContain('chat/0af9  trace 0af9 of project chat, version 12')
    expect(shown.out).toContain('chat/0af7  7 spans of project chat, sdk python 4.7.0')
    expect(shown.out).toContain('chat/0af8')
    expect(JSON.parse((await svc('topics', 'spans.staging', '--json', '--records', '1')).out)).toMatchObject({
      newest: [{ key: 'chat/0af8' }],
    })
  })

  test.each([
    [['topics', 'spans.nowhere'], 'spans.direct'],
    [['topics', '--records', '1001'], '1001'],
    [['topics', 'a', 'b'], 'one topic'],
  ])('rejects %j and names valid arguments', async (argv, word) => {
    const { code, error } = await svc(...argv)
    expect(code).toBe(2)
    expect(error).toContain(word)
  })
})
