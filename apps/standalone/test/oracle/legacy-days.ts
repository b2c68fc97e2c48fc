// Creates random queries of the legacy daily metrics, with the expected responses.
import { type Random, withOffset } from './data.ts'
import {
  type AskedPages,
  costOf,
  descending,
  is,
  iso,
  none,
  observationsOf,
  passing,
  type Simple,
  some,
  sum,
  traceColumns,
  usageOf,
} from './legacy.ts'
import type { LegacyProject, Trace } from './legacy-data.ts'
import { sumOf } from './observations.ts'

/** Returns a random query and its expected response. This response counts each observation on the day of the observation's trace. */
export function randomDays(random: Random, project: LegacyProject): AskedPages {
  const example = random.pick(project.traces)
  const simple: Simple<Trace>[] = [
    ...(example.name === ''
      ? []
      : some(
          random,
          0.2,
          is<Trace>('traceName', example.name, of => of.name),
        )),
    ...(example.userId === ''
      ? []
      : some(
          random,
          0.2,
          is<Trace>('userId', example.userId, of => of.userId),
        )),
    ...some(random, 0.2, {
      parameter: 'tags',
      values: example.tags,
      column: 'tags',
      test: (of: Trace) => example.tags.every(tag => of.tags.includes(tag)),
    }),
    ...some(
      random,
      0.2,
      is<Trace>('environment', example.environment, of => of.environment),
    ),
    ...some(random, 0.2, {
      ...{
        parameter: 'fromTimestamp',
        values: [withOffset(random, example.at)],
        column: 'timestamp',
        test: (of: Trace) => of.at >= example.at,
      },
    }),
  ]
  const { parameters, rows } = passing(project.traces, traceColumns, [], simple, project)
  const days = Map.groupBy(rows, ({ at }) => iso(at)!.slice(0, 10))
  const expected = [...days].map(([date, traces]) => {
    const observations = traces.flatMap(trace => observationsOf(trace, project))
    return {
      ...{ date, countTraces: traces.length, countObservations: observations.length },
      totalCost: sum(observations.map(each => costOf(each, project)['total'] ?? 0)),
      usage: [...Map.groupBy(observations, ({ model }) => model)].map(([model, own]) => ({
        model: none(model),
        inputUsage: sum(own.map(each => sumOf(usageOf(each), 'input'))),
        outputUsage: sum(own.map(each => sumOf(usageOf(each), 'output'))),
        totalUsage: sum(own.map(each => usageOf(each)['total'] ?? 0)),
        countTraces: new Set(own.map(({ traceId }) => traceId)).size,
        countObservations: own.length,
        totalCost: sum(own.map(each => costOf(each, project)['total'] ?? 0)),
      })),
    }
  })
  return { path: '/metrics/daily', parameters, expected, before: descending('date') }
}
