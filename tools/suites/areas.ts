// What suites of an area may take together, so that `npm test` stays within its time whatever is added: a whole run in which an area takes more fails.
import { suiteSeconds } from './longest-first.ts'

export interface Area {
  readonly name: string
  /** What the paths of its suites begin with. */
  readonly paths: readonly string[]
  /** Of the clock, summed over suites that run beside each other, on the quiet machine of suite-seconds.json. */
  readonly seconds: number
}

/** The first one that has a suite's path; the last one has all others. */
export const areas: readonly Area[] = [
  { name: 'services/events-writer', paths: ['services/events-writer/'], seconds: 460 },
  { name: 'propagator and merger', paths: ['services/staging-propagator/', 'services/merger/'], seconds: 160 },
  { name: 'services/otlp-gateway', paths: ['services/otlp-gateway/'], seconds: 65 },
  { name: 'public API', paths: ['services/public-api/', 'libs/api/', 'libs/query/'], seconds: 310 },
  { name: 'packages', paths: ['packages/', 'tools/sdk/'], seconds: 50 },
  { name: 'apps/web', paths: ['apps/web/'], seconds: 85 },
  { name: 'apps/standalone', paths: ['apps/standalone/'], seconds: 320 },
  { name: 'apps/cluster', paths: ['apps/cluster/'], seconds: 155 },
  { name: 'libs/log', paths: ['libs/log/'], seconds: 150 },
  { name: 'backfill', paths: ['libs/backfill/', 'services/backfill-runner/'], seconds: 215 },
  { name: 'libs/conservation', paths: ['libs/conservation/'], seconds: 95 },
  { name: 'libs/deletions', paths: ['libs/deletions/'], seconds: 42 },
  { name: 'libs/observations', paths: ['libs/observations/'], seconds: 85 },
  { name: 'libs/relational', paths: ['libs/relational/'], seconds: 70 },
  { name: 'libs/schema', paths: ['libs/schema/'], seconds: 42 },
  { name: 'libs/embedded-engine', paths: ['libs/embedded-engine/'], seconds: 32 },
  { name: 'everything else', paths: [''], seconds: 210 },
]

export interface SuiteTime {
  readonly name: string
  readonly seconds: number
}

/** Shorter ones are rounded too coarsely to tell how fast a machine is. */
const leastTellingSeconds = 5
const leastTelling = 20
/** By chance the suites of an area run beside slow neighbors: one that mostly waits for the engine took 3.6 times as long as recorded where others took 1.6. */
const tolerance = 2

/**
 * How many times longer than recorded three quarters of these suites took, at most. It is in what budgets are in: whatever slows a run down,
 * processors and neighbors alike, slows its suites. Not the middle one, because suites that mostly wait are slowed less. A fast machine is no reason for
 * a smaller budget.
 */
export function slownessOf(suites: readonly SuiteTime[], recorded: Readonly<Record<string, number>> = suiteSeconds): number {
  const ratios = suites
    .filter(({ name }) => (recorded[name] ?? 0) >= leastTellingSeconds)
    .map(({ name, seconds }) => seconds / recorded[name]!)
    .sort((a, b) => a - b)
  return ratios.length < leastTelling ? 1 : Math.max(1, ratios[Math.floor(ratios.length * 0.75)]!)
}

const areaOf = (path: string): Area => areas.find(({ paths }) => paths.some(prefix => path.startsWith(prefix)))!

export interface AreaTime {
  readonly area: Area
  readonly seconds: number
  /** Its budget on this machine: how slow that is, the suites of the other areas tell. */
  readonly most: number
  /** The dearest first. */
  readonly suites: readonly SuiteTime[]
}

/** Every area, in their order. */
export function timesOf(suites: readonly SuiteTime[], recorded?: Readonly<Record<string, number>>): readonly AreaTime[] {
  return areas.map(area => {
    const isOwn = ({ name }: SuiteTime) => areaOf(name) === area
    const own = suites.filter(isOwn).toSorted((a, b) => b.seconds - a.seconds)
    const others = suites.filter(suite => !isOwn(suite))
    return {
      area,
      suites: own,
      seconds: own.reduce((sum, { seconds }) => sum + seconds, 0),
      most: area.seconds * slownessOf(others, recorded) * tolerance,
    }
  })
}

/** A sentence for each area that took more than it may. */
export const overBudget = (times: readonly AreaTime[]): readonly string[] =>
  times
    .filter(({ seconds, most }) => seconds > most)
    .map(({ area, seconds, most, suites }) =>
      [
        `The suites of ${area.name} took ${seconds.toFixed(0)} s together, and may take ${most.toFixed(0)} s on this machine: their budget in tools/suites/areas.ts is ${area.seconds} s. The dearest:`,
        ...suites.slice(0, 10).map(({ name, seconds: took }) => `${took.toFixed(1).padStart(8)} s  ${name}`),
      ].join('\n'),
    )
