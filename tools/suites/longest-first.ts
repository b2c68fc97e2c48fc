// Starts the longest suites first. Otherwise, a long suite could run alone at the end. The order comes from the times in
// `suite-seconds.json`, because a clean checkout has no times of a previous run. The command `npm test -- --times` writes
// `suite-seconds.json`.
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { TestSequencer, TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

const root = resolve(import.meta.dirname, '../..')
const secondsFile = resolve(import.meta.dirname, 'suite-seconds.json')
export const suiteSeconds = JSON.parse(readFileSync(secondsFile, 'utf8')) as Readonly<Record<string, number>>

const secondsOf = ({ moduleId }: TestSpecification): number => suiteSeconds[relative(root, moduleId)] ?? 0
export const projectOrder = ['sharing', 'alone', 'pure'] as const
const orderOf = ({ project }: TestSpecification): number => (projectOrder as readonly string[]).indexOf(project.name)

export class LongestFirst extends BaseSequencer implements TestSequencer {
  override async sort(suites: TestSpecification[]): Promise<TestSpecification[]> {
    return suites.toSorted((a, b) => orderOf(a) - orderOf(b) || secondsOf(b) - secondsOf(a) || a.moduleId.localeCompare(b.moduleId))
  }
}
