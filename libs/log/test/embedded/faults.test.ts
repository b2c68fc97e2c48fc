import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { AppError } from '@svc-server/errors'
import { open } from 'lmdb'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAppendPath } from '../../src/embedded/appends.ts'
import { loadState } from '../../src/embedded/state.ts'
import { openStore, type Store } from '../../src/embedded/store.ts'
import { createWriter } from '../../src/embedded/writer.ts'
import { collect, commitAll, done, gate, keyless, readAll, topic, values, waitFor } from '../conformance/harness.ts'
import { openTestLog, temporaryDirectory } from './embedded-log.ts'

describe('opening', () => {
  test('a directory can be open once, and again after it is closed', async () => {
    const { log, open } = await openTestLog([topic()])
    await expect(open()).rejects.toMatchObject({ code: 'data_dir_locked' })
    await log.close()
    await (await open()).close()
  })

  test('a directory that another process has open is refused until that process has ended', async () => {
    const directory = temporaryDirectory()
    const child = spawn(process.execPath, [fileURLToPath(new URL('./holding-child.ts', import.meta.url)), directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(createInterface({ input: child.stdout }), 'line')
    await expect(openTestLog([topic()], { directory })).rejects.toMatchObject({
      code: 'data_dir_locked',
      message: expect.stringContaining(`${child.pid}`),
    })
    child.kill('SIGKILL')
    await once(child, 'exit')
    await openTestLog([topic()], { directory })
  })

  test('a changed partition count is refused with an explanation and changes nothing', async () => {
    const { log, open } = await openTestLog([topic({ partitions: 2 })])
    await log.append('spans', [keyless('a', 1)])
    await log.close()
    await expect(open([topic({ partitions: 4 })])).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/spans has 2 partitions and 4 are configured/),
    })
    expect(values(await readAll(await open(), 'spans', 1))).toEqual(['a'])
  })

  test('a topic that is no longer declared is kept, with a warning', async () => {
    const warned: object[] = []
    const logger = { info: () => {}, error: () => {}, warn: (fields: object) => void warned.push(fields) }
    const { log, open } = await openTestLog([topic(), topic({ name: 'old' })], { logger })
    await log.append('old', [keyless('kept')])
    await log.close()
    const without = await open([topic()])
    expect(warned).toMatchObject([{ topic: 'old' }])
    await without.close()
    expect(values(await readAll(await open(), 'old', 0))).toEqual(['kept'])
  })

  test('close settles earlier appends and refuses later ones', async () => {
    const { log } = await openTestLog([topic()])
    const appended = Promise.all(Array.from({ length: 20 }, (_, i) => log.append('spans', [keyless(`${i}`)])))
    const closed = log.close()
    await expect(log.append('spans', [keyless('late')])).rejects.toMatchObject({ code: 'log_unavailable' })
    await expect(appended).resolves.toHaveLength(20)
    await closed
  })
})

describe('back-pressure', () => {
  test('appends above the queue limit are refused, and accepted again once the queue has drained', async () => {
    const { log } = await openTestLog([topic()], { maxQueuedBytes: 250_000 })
    const record = keyless('x'.repeat(100_000))
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => log.append('spans', [record])))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected'])
    expect(outcomes[2]).toMatchObject({ reason: { code: 'overloaded' } })
    await log.append('spans', [record])
    // If no other append waits, the log accepts an append that alone exceeds the limit. Otherwise, the log could never write this append.
    await log.append('spans', [keyless('x'.repeat(300_000))])
    expect((await log.read('spans', 0, 0, 1)).highWatermark).toBe(4)
  })
})

async function faultyWriter(ackTimeoutMs = 4000) {
  const real = openStore(temporaryDirectory())
  let fault: 'none' | 'refused' | 'written, then an error' | 'hangs' = 'none'
  let release = (): void => {}
  const hanging = new Promise<void>(resolve => {
    release = resolve
  })
  const store: Store = {
    ...real,
    write: async operations => {
      const now = fault
      if (now === 'hangs') await hanging
      if (now !== 'refused') await real.write(operations)
      if (now !== 'none' && now !== 'hangs') throw new AppError('log_unavailable', 'The disk failed.')
    },
  }
  const state = await loadState(store, [topic()], { undeclared: () => {}, repaired: () => {} })
  const writer = createWriter({ store, state, clock: () => 1, maxQueuedBytes: 1e9, ackTimeoutMs, onWriteError: () => {} })
  const appends = createAppendPath({ store, topics: state.topics, clock: () => 1 })
  onTestFinished(async () => {
    release()
    await writer.drain()
    await real.close()
  })
  return {
    partition: state.topics.get('spans')!.partitions[0]!,
    setFault: (next: typeof fault) => {
      fault = next
    },
    release,
    drain: () => writer.drain(),
    append: (value: string) => {
      const prepared = appends.prepare('spans', [keyless(value)])
      return writer.submit({ bytes: prepared.bytes, bounded: true, apply: draft => appends.place(draft, prepared) })
    },
  }
}

describe('a failing disk', () => {
  test('a failed append is refused and leaves no hole', async () => {
    const { append, setFault, partition } = await faultyWriter()
    await append('a')
    setFault('refused')
    await expect(append('b')).rejects.toMatchObject({ code: 'log_unavailable' })
    setFault('none')
    expect(await append('c')).toMatchObject([{ offset: 1 }])
    expect(partition.numbers).toMatchObject({ high: 2, records: 2 })
  })

  test('the outcome of a doubtful transaction is looked up before the next one, so that no offset is assigned twice', async () => {
    const { append, setFault, partition } = await faultyWriter()
    setFault('written, then an error')
    await expect(append('a')).rejects.toMatchObject({ code: 'log_unavailable' })
    setFault('none')
    expect(await append('b')).toMatchObject([{ offset: 1 }])
    expect(partition.numbers).toMatchObject({ high: 2, records: 2 })
  })

  test('a hanging disk does not keep callers waiting, and appends that were only queued are not written later', async () => {
    const { append, setFault, release, drain, partition } = await faultyWriter(50)
    setFault('hangs')
    await expect(append('in doubt')).rejects.toMatchObject({ code: 'log_unavailable', message: expect.stringContaining('50 ms') })
    await expect(append('queued')).rejects.toMatchObject({ code: 'log_unavailable' })
    setFault('none')
    release()
    await drain()
    expect(partition.numbers).toMatchObject({ high: 1, records: 1 })
  })

  test('F36 · on a full disk appends are refused, the process survives, and acknowledged records stay', async () => {
    const directory = temporaryDirectory()
    const program = fileURLToPath(new URL('./filling-child.ts', import.meta.url))
    // A file-size limit of the shell simulates a full disk.
    const child = spawn('bash', ['-c', 'ulimit -f 8000 && exec "$0" "$@"', process.execPath, program, directory], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines: string[] = []
    for await (const line of createInterface({ input: child.stdout })) lines.push(line)
    const { acknowledged, refused, recovered } = JSON.parse(lines.at(-1)!) as { acknowledged: number; refused: string[]; recovered: number }
    expect(acknowledged).toBeGreaterThan(5)
    expect(new Set(refused)).toEqual(new Set(['log_unavailable']))
    expect(recovered).toBe(acknowledged)
    const { log } = await openTestLog([topic()], { directory })
    const found = values(await readAll(log, 'spans', 0)).map(value => value!.trim())
    expect(found.slice(0, acknowledged)).toEqual(Array.from({ length: acknowledged }, (_, i) => `${i}`))
  })

  test('a damaged batch is reported: reads reject and a consumer ends', async () => {
    const { log, directory, open: reopen } = await openTestLog([topic()])
    await log.append('spans', [keyless('precious')])
    await log.close()
    const root = open({ path: directory, noSubdir: false, overlappingSync: false, maxDbs: 8 })
    const batches = root.openDB<Buffer, Buffer>({ name: 'batches', encoding: 'binary', keyEncoding: 'binary' })
    const [{ key, value }] = [...batches.getRange()] as [{ key: Buffer; value: Buffer }]
    const damaged = Buffer.from(value)
    damaged[damaged.length - 1]! ^= 1
    await batches.put(Buffer.from(key), damaged)
    await root.close()

    const again = await reopen()
    await expect(again.read('spans', 0, 0, 100)).rejects.toMatchObject({ code: 'log_corrupt' })
    const got = await collect(again, { topics: ['spans'] })
    await waitFor(() => expect(got.fatal).toMatchObject([{ code: 'log_corrupt' }]))
    await got.consumer.stop()
  })
})

describe('consumers of the embedded log', () => {
  test('a handler that fails temporarily gets its batch again', async () => {
    const { log } = await openTestLog([topic()])
    await log.append('spans', [keyless('a')])
    const got = await collect(log, { topics: ['spans'] }, async (batch, context) => {
      if (got.batches.length === 1) throw new AppError('fenced', 'A refused commit.')
      return commitAll(batch, context)
    })
    await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)?.offset).toBe(1))
    expect(got.fatal).toEqual([])
    await got.consumer.stop()
  })

  test('a consumer that loses its group to another consumer is notified', async () => {
    const { log } = await openTestLog([topic()])
    const first = await collect(log, { topics: ['spans'] })
    const second = await collect(log, { topics: ['spans'] })
    expect(first.fatal).toMatchObject([{ code: 'fenced' }])
    await log.append('spans', [keyless('a')])
    await waitFor(() => expect(values(second.records())).toEqual(['a']))
    expect(first.batches).toEqual([])
    await second.consumer.stop()
  })

  test('a commit that is queued while another consumer takes the group over is fenced', async () => {
    const { log } = await openTestLog([topic()])
    await log.append('spans', [keyless('a')])
    const outcomes: unknown[] = []
    let second: ReturnType<typeof collect> | undefined
    const first = await collect(log, { topics: ['spans'] }, async (_, context) => {
      const committing = context.commit(1, 'first').catch(error => outcomes.push(error))
      second = collect(log, { topics: ['spans'] })
      await committing
      return done
    })
    await waitFor(async () => expect((await log.committed('group', 'spans')).get(0)).toEqual({ offset: 1, metadata: '' }))
    expect(outcomes).toMatchObject([{ code: 'fenced' }])
    await Promise.all([first.consumer.stop(), second?.then(({ consumer }) => consumer.stop())])
  })

  test('a handler that commits nothing gets the same batch again', async () => {
    const { log } = await openTestLog([topic()])
    await log.append('spans', [keyless('a')])
    const got = await collect(log, { topics: ['spans'], maxWaitMs: 20 }, async () => done)
    await waitFor(() => expect(got.batches.length).toBeGreaterThan(1))
    await got.consumer.stop()
  })

  test('an intent beyond the end of the log is out of range, because it was made on another log', async () => {
    const { log } = await openTestLog([topic()])
    await log.append('spans', [keyless('a')])
    const got = await collect(log, { topics: ['spans'], onAssigned: async () => [{ topic: 'spans', partition: 0, until: 5 }] })
    await waitFor(() => expect(got.fatal).toMatchObject([{ code: 'offset_out_of_range' }]))
    expect(got.batches).toEqual([])
    await got.consumer.stop()
  })

  test.each([
    ['front', 'back'],
    ['back', 'front'],
  ])('F26 · a backlog of the %s topics leaves a slot to the %s topics, even if it has many partitions', async (held, free) => {
    const { log } = await openTestLog([topic({ name: 'front', partitions: 3 }), topic({ name: 'back', partitions: 3 })])
    const { opened, open } = gate()
    const running: string[] = []
    const got = await collect(log, { topics: ['front', 'back'], background: ['back'], concurrency: 2 }, async (batch, context) => {
      running.push(batch.topic)
      if (batch.topic === held) await opened
      return commitAll(batch, context)
    })
    for (const partition of [0, 1, 2]) await log.append(held, [keyless('held', partition)])
    await waitFor(() => expect(running).toEqual([held, held]))
    for (const partition of [0, 1, 2]) await log.append(free, [keyless('free', partition)])
    await waitFor(async () => expect((await log.committed('group', free)).size).toBe(3))
    expect(running.filter(name => name === held)).toHaveLength(2)
    open()
    await waitFor(async () => expect((await log.committed('group', held)).size).toBe(3))
    await got.consumer.stop()
  })

  test('small concurrent appends share a batch and keep their positions', async () => {
    const { log } = await openTestLog([topic()])
    const positions = await Promise.all(Array.from({ length: 500 }, (_, i) => log.append('spans', [keyless(`${i}`)])))
    expect(positions.flat().map(({ offset }) => offset)).toEqual(Array.from({ length: 500 }, (_, i) => i))
    expect(values(await readAll(log, 'spans', 0, 0, 500))).toEqual(Array.from({ length: 500 }, (_, i) => `${i}`))
    // If the partition has fewer than 500 times 20 bytes, the log has stored many records in one batch. With one batch per record, the
    // headers alone would take 500 times 32 bytes.
    expect((await log.describe())[0]!.partitions[0]!.bytes).toBeLessThan(500 * 20)
  })
})
