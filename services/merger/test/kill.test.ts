// Kills processes with kill -9 at random points. Some kills also delete the local state. The final entities must equal those after a single
// merge of all events.
import { join } from 'node:path'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { topicNames } from '@svc-server/modes/names'
import { createKiller, sized, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mergerKillTopics } from './kill-plan.ts'
import { readTopic } from './spans.ts'
import { expectedTables, isStagedEntity, publishedTables } from './tables.ts'

const kill = createKiller(new URL('./kill-child.ts', import.meta.url), { beforeAll, afterAll })

const kills = sized(6, 3)

test.for(sized(['first', 'second'], ['first']))(
  `F23 · a merger that is killed -9 ${kills} times gives the result of a single merge: %s`,
  { timeout: 600_000 },
  async seed => {
    await using directory = await temporaryDirectory('svc-merger-kill-')
    const records = sized(400, 250)
    await kill({ directory: directory.path, seed, size: records, kills, lifeMs: [20, 500], lossShare: 0.3 })

    const log = await openEmbeddedLog({ directory: join(directory.path, 'log'), topics: mergerKillTopics })
    const topics = ['ingestion', 'spans.direct', 'spans.overflow', 'spans.staging'] as const
    const inputs = (await Promise.all(topics.map(topic => readTopic(log, topic)))).flat()
    const entities = await readTopic(log, topicNames.entities)
    await log.close()
    const published = publishedTables(entities, inputs.filter(isStagedEntity))
    const expected = expectedTables(
      inputs.filter(record => !isStagedEntity(record)),
      new Map(),
      true,
    )
    expect(inputs.filter(record => !isStagedEntity(record)).length).toBeGreaterThanOrEqual(records)
    expect(published.old.live()).toEqual(expected.old.live())
    expect(published.events.live()).toEqual(expected.events.live())
  },
)
