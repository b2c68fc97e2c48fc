// The propagator withdraws its `trace.attributes` records of deleted traces long before these records would expire.
import { topicNames } from '@svc-server/modes/names'
import { commandKey, encodeCommand } from '@svc-server/schema/command'
import { waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { readTopic } from './published.ts'
import { hexOf, newItemRecord, type StagedRecord, startMs, startUs } from './staged.ts'
import { createWorld, type World } from './world.ts'

const traceId = (number: number) => hexOf(number, 32)
const record = (projectId: string, trace: number, span: number): StagedRecord => ({
  ...{ projectId, traceId: traceId(trace) },
  spans: [{ spanId: hexOf(span, 16), startUs, root: true, says: { 'user.id': `user ${span}` } }],
})

/** Makes a run item. `named` is the id of the item's trace. A client of the legacy API can choose any text as the id of a trace. */
const item = (projectId: string, named: string) =>
  newItemRecord({ projectId, traceId: named, id: named, rootId: null, createdAtMs: startMs })

async function remove(world: World, projectId: string, deleted: string | null): Promise<void> {
  const kind = deleted === null ? 'delete_project' : 'delete_trace'
  const command = { projectId, kind, traceId: deleted, value: null, acceptedAtMs: world.clock.now() } as const
  await world.log.append(topicNames.commands, [{ key: Buffer.from(commandKey(command)), value: encodeCommand(command) }])
}

/** Returns the keys that remain after a compaction. */
async function known(world: World): Promise<readonly string[]> {
  const newest = new Map((await readTopic(world.log, topicNames.traceAttributes)).map(({ key, value }) => [key!.toString(), value]))
  return [...newest].flatMap(([key, value]) => (value === null ? [] : [key.slice(0, key.lastIndexOf('/'))])).sort()
}

async function untilKnown(world: World, expected: readonly string[]): Promise<void> {
  let span = 1_000
  const isSo = async () => {
    await world.stage(Array.from({ length: 8 }, (_, trace) => record('others', trace, ++span)))
    await world.settled()
    return (await known(world)).filter(key => !key.startsWith('others/')).join() === expected.join()
  }
  await waitFor(isSo, { what: `${expected.join()} to be all that is known` })
}

test('windows of a deleted trace or project are withdrawn and never fill spans again, also after a restart; other windows stay', async () => {
  await using world = await createWorld({ partitions: 2 })
  await world.start()
  const all = [1, 2, 3, 4, 5]
  await world.stage(all.flatMap(number => [record('p', number, number), record('q', number, 10 + number)]))
  await world.settled()
  await world.stage(all.map(number => record('p', number, 20 + number)))
  await world.settled()
  await remove(world, 'p', traceId(1))
  await remove(world, 'p', traceId(2))
  // The topic spans.staging has no record of this trace.
  await remove(world, 'p', traceId(99))
  const left = (numbers: readonly number[], projects: readonly string[]) =>
    projects.flatMap(projectId =>
      numbers.flatMap(number => Array<string>(projectId === 'p' ? 2 : 1).fill(`${projectId}/${traceId(number)}`)),
    )
  await untilKnown(world, [...left([3, 4, 5], ['p']), ...left(all, ['q'])])

  await remove(world, 'q', null)
  await world.stop()
  world.loseState()
  await world.start()
  await untilKnown(world, left([3, 4, 5], ['p']))
  expect(world.running.bugs).toEqual([])
  expect((await world.published()).spans.length).toBeGreaterThan(15)
})

test('windows of traces whose ids contain slashes are withdrawn, too, singly and with their project', async () => {
  await using world = await createWorld({ partitions: 1 })
  await world.start()
  await world.stage(['a/1', 'a/2', '/b//', 'c'].flatMap(named => [item('p', named), item('q', named)]))
  await world.settled()
  const ofP = ['p//b//', 'p/a/1', 'p/a/2', 'p/c']
  await untilKnown(world, [...ofP, 'q//b//', 'q/a/1', 'q/a/2', 'q/c'])
  await remove(world, 'q', 'a/2')
  await untilKnown(world, [...ofP, 'q//b//', 'q/a/1', 'q/c'])
  await remove(world, 'p', null)
  await remove(world, 'q/a', null)
  await untilKnown(world, ['q//b//', 'q/a/1', 'q/c'])
  expect(world.running.bugs).toEqual([])
})
