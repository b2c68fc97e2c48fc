// Time budgets of the areas. The budgets keep the total time of `npm test` below its limit. An area is a list of path prefixes. The suites
// of an area are the test files below these paths.
import { suiteSeconds } from './longest-first.ts'

export interface Area {
  readonly name: string
  readonly paths: readonly string[]
  /**
   * Maximum sum of the times of the area's suites, in seconds. As in `suite-seconds.json`, each time is measured while five suites run in
   * parallel.
   */
  readonly seconds: number
}

/** A suite belongs to the first area that has a prefix of the suite's path. The last area contains all other suites. */
export const areas: readonly Area[] = [
  { name: 'services/events-writer', paths: ['services/events-writer/'], seconds: 540 },
  { name: 'propagator and merger', paths: ['services/staging-propagator/', 'services/merger/'], seconds: 150 },
  { name: 'services/otlp-gateway', paths: ['services/otlp-gateway/'], seconds: 100 },
  { name: 'public API', paths: ['services/public-api/', 'libs/api/', 'libs/query/'], seconds: 370 },
  { name: 'packages', paths: ['packages/', 'tools/sdk/'], seconds: 100 },
  { name: 'apps/web', paths: ['apps/web/'], seconds: 165 },
  { name: 'apps/standalone', paths: ['apps/standalone/'], seconds: 610 },
  { name: 'apps/cluster', paths: ['apps/cluster/'], seconds: 140 },
  { name: 'libs/log', paths: ['libs/log/'], seconds: 155 },
  { name: 'backfill', paths: ['libs/backfill/', 'services/backfill-runner/'], seconds: 400 },
  { name: 'libs/conservation', paths: ['libs/conservation/'], seconds: 95 },
  { name: 'libs/deletions', paths: ['libs/deletions/'], seconds: 40 },
  { name: 'libs/observations', paths: ['libs/observations/'], seconds: 145 },
  { name: 'libs/relational', paths: ['libs/relational/'], seconds: 75 },
  { name: 'libs/schema', paths: ['libs/schema/'], seconds: 58 },
  { name: 'libs/embedded-engine', paths: ['libs/embedded-engine/'], seconds: 68 },
  { name: 'everything else', paths: [''], seconds: 300 },
]

export interface SuiteTime {
  readonly name: string
  readonly seconds: number
}

/** Suites with a shorter recorded time are ignored, because short times are too coarse to show how fast a machine is. */
const leastTellingSeconds = 5
const leastTelling = 20
/**
 * A budget is multiplied by this factor, because other processes can keep the machine busy while the suites of an area run. The factor
 * applies to the sum of the times of an area's suites, so the time of a single suite can grow by a larger factor. In one run, a suite that
 * mostly waits for the engine took 3.6 times its recorded time, and other suites took 1.6 times their recorded time.
 */
const tolerance = 2

/**
 * Returns the factor by which the suites were slower than their recorded times. For each suite, the function divides the measured time by
 * the recorded time. The result is the upper quartile of these ratios. The median would be too low, because many suites mostly wait, and a
 * slow machine hardly delays them. The result is at least 1, so that budgets do not shrink on a fast machine.
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
  /**
   * Maximum number of seconds for the area on this machine. The budget of the area is multiplied by `tolerance` and by the slowness of the
   * machine, which is determined from the times of the other areas.
   */
  readonly most: number
  /** Suites of the area, the slowest first. */
  readonly suites: readonly SuiteTime[]
}

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

export const overBudget = (times: readonly AreaTime[]): readonly string[] =>
  times
    .filter(({ seconds, most }) => seconds > most)
    .map(({ area, seconds, most, suites }) =>
      [
        `The suites of ${area.name} took ${seconds.toFixed(0)} s together, but at most ${most.toFixed(0)} s are allowed on this machine: their budget in tools/suites/areas.ts is ${area.seconds} s. The slowest suites:`,
        ...suites.slice(0, 10).map(({ name, seconds: took }) => `${took.toFixed(1).padStart(8)} s  ${name}`),
      ].join('\n'),
    )
