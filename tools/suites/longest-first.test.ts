import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { TestSpecification, Vitest } from 'vitest/node'
import { LongestFirst, type projectOrder, suiteSeconds } from './longest-first.ts'

const root = resolve(import.meta.dirname, '../..')

test('every suite with a recorded time exists', () => {
  expect(Object.keys(suiteSeconds).filter(path => !existsSync(join(root, path)))).toEqual([])
})

test('projects keep their order; in each the longest suite starts first, and unknown ones last', async () => {
  const [longest, second] = Object.entries(suiteSeconds)
    .sort(([, a], [, b]) => b - a)
    .map(([path]) => path)
  const suite = (path: string, name: (typeof projectOrder)[number]) =>
    ({ moduleId: join(root, path), project: { name } }) as unknown as TestSpecification
  const given = [suite('new.test.ts', 'alone'), suite(longest!, 'sharing'), suite(second!, 'alone'), suite('another.test.ts', 'sharing')]
  const sorted = await new LongestFirst(undefined as unknown as Vitest).sort(given)
  expect(sorted).toEqual([given[1], given[3], given[2], given[0]])
})
