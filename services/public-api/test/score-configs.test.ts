import type { ScoreConfig } from '@svc-server/relational/score-configs'
import { expect, test } from 'vitest'
import { createScoreConfigs } from '../src/scores/configs.ts'

test('a configuration is cached for five seconds from the start of its query; a missing configuration is not cached', async () => {
  const asked: string[] = []
  let nowMs = 1_000_000
  const read = async (projectId: string, ids: readonly string[]) => {
    asked.push(`${projectId}: ${ids}`)
    nowMs += 1_000
    return ids.filter(id => id !== 'none').map(id => ({ id }) as ScoreConfig)
  }
  const configsOf = createScoreConfigs({ read, clock: () => nowMs })
  const found = async (projectId: string, ids: readonly string[]) => [...(await configsOf(projectId, ids)).keys()].sort()
  expect(await found('p', ['a', 'a', 'b', 'none'])).toEqual(['a', 'b'])
  expect(await found('p', ['b', 'c'])).toEqual(['b', 'c'])
  expect(await found('q', ['a'])).toEqual(['a'])
  expect(await found('p', ['none'])).toEqual([])
  nowMs = 1_005_000
  expect(await found('p', ['a', 'c'])).toEqual(['a', 'c'])
  nowMs = 1_005_001
  expect(await found('p', ['a', 'c'])).toEqual(['a', 'c'])
  expect(asked).toEqual(['p: a,b,none', 'p: c', 'q: a', 'p: none', 'p: a'])
})

test('the cache holds at most maxEntries configurations', async () => {
  let questions = 0
  const read = async (_: string, ids: readonly string[]) => {
    questions += 1
    return ids.map(id => ({ id }) as ScoreConfig)
  }
  const configsOf = createScoreConfigs({ read, clock: () => 1, maxEntries: 2 })
  for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) await configsOf('p', [id])
  expect(questions).toBe(4)
})
