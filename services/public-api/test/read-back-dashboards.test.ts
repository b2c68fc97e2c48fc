// Writes dashboards and widgets through the API, and reads them back. The bodies are generated from the schemas.
import * as dashboardWidgets from '@svc-server/api/dashboard-widgets/operations'
import * as dashboards from '@svc-server/api/dashboards/operations'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { checkReadBack, type Instances, instanceKinds, type Json, type Written } from './read-back.ts'

/** Ids of objects that later writes refer to. */
const ids: Record<string, string> = {}

const filters = fc.array(
  fc.oneof(
    fc.record({
      column: fc.constant('userId'),
      type: fc.constant('string'),
      operator: fc.constantFrom('=', 'contains'),
      value: fc.string(),
    }),
    fc.record({
      ...{ column: fc.constant('name'), type: fc.constant('stringOptions'), operator: fc.constantFrom('any of', 'none of') },
      value: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 }),
    }),
  ),
  { maxLength: 3 },
)
const widget = {
  ...{ view: fc.constant('observations'), dimensions: fc.constantFrom([], [{ field: 'name' }]), filters },
  metrics: fc.constantFrom([{ measure: 'latency', agg: 'p95' }], [{ measure: 'totalCost', agg: 'sum' }]),
}
const charts = [
  ['LINE_TIME_SERIES', fc.constant({})],
  ['HORIZONTAL_BAR', fc.record({ row_limit: fc.integer({ min: 1, max: 1000 }), show_value_labels: fc.boolean() })],
  ['HISTOGRAM', fc.record({ bins: fc.integer({ min: 1, max: 100 }) })],
  ['NUMBER', fc.record({ row_limit: fc.integer({ min: 1, max: 1000 }) })],
] as const
const placement = fc.oneof(
  fc.record({
    ...{ type: fc.constant('preset'), id: fc.uuid(), presetId: fc.constantFrom('home-traces', 'home-users') },
    ...{ x: fc.nat(100), y: fc.nat(100), width: fc.integer({ min: 1, max: 12 }), height: fc.integer({ min: 1, max: 50 }) },
  }),
  fc.record({
    ...{ type: fc.constant('widget'), id: fc.uuid(), widgetId: fc.constant('').map(() => ids['widget']) },
    ...{ x: fc.nat(100), y: fc.nat(100), width: fc.integer({ min: 1, max: 12 }), height: fc.integer({ min: 1, max: 50 }) },
  }),
)
const dashboard = { definition: fc.array(placement, { maxLength: 3 }).map(widgets => ({ widgets })), filters }

const written: readonly (readonly [string, Written])[] = [
  ...charts.map(
    ([chartType, chartConfig]) =>
      [
        `a widget ${chartType}`,
        {
          operation: dashboardWidgets.create,
          with: () => ({ ...widget, chartType: fc.constant(chartType), chartConfig }),
          readFrom: made => `/unstable/dashboard-widgets/${made['id']}`,
          otherwise: { chartConfig: given => ({ type: chartType, ...(given as object) }) },
          shown: { chartConfig: read => read['chartConfig'] },
        } satisfies Written,
      ] as const,
  ),
  [
    'a changed widget',
    {
      operation: dashboardWidgets.update,
      params: () => ({ widgetId: ids['widget']! }),
      with: () => ({ ...widget, chartType: fc.constant('HISTOGRAM'), chartConfig: fc.record({ bins: fc.integer({ min: 1, max: 100 }) }) }),
      readFrom: () => `/unstable/dashboard-widgets/${ids['widget']}`,
      otherwise: { chartConfig: given => ({ type: 'HISTOGRAM', ...(given as object) }) },
    },
  ],
  ['a dashboard', { operation: dashboards.create, with: () => dashboard, readFrom: made => `/unstable/dashboards/${made['id']}` }],
  [
    'a changed dashboard',
    {
      operation: dashboards.update,
      params: () => ({ dashboardId: ids['dashboard']! }),
      with: () => dashboard,
      readFrom: () => `/unstable/dashboards/${ids['dashboard']}`,
    },
  ],
  [
    'a placement',
    {
      operation: dashboards.addPlacement,
      params: () => ({ dashboardId: ids['placed']! }),
      with: () => ({
        id: fc.option(fc.uuid()),
        presetId: fc.constantFrom('home-traces', 'home-users'),
        type: fc.constant('preset'),
        widgetId: fc.constant(undefined),
        ...{
          x: fc.nat(100_000),
          y: fc.option(fc.nat(100_000)),
          width: fc.integer({ min: 1, max: 12 }),
          height: fc.option(fc.integer({ min: 1, max: 100_000 })),
        },
      }),
      readFrom: () => `/unstable/dashboards/${ids['placed']}`,
      from: (read, made) => (read['definition'] as { widgets: readonly Json[] }).widgets.find(({ id }) => id === made['id']),
    },
  ],
  [
    'a changed placement',
    {
      operation: dashboards.updatePlacement,
      params: () => ({ dashboardId: ids['moved']!, placementId: 'moved' }),
      with: () => ({ x: fc.nat(100_000), width: fc.option(fc.integer({ min: 1, max: 100_000 })) }),
      readFrom: () => `/unstable/dashboards/${ids['moved']}`,
      from: read => (read['definition'] as { widgets: readonly Json[] }).widgets[0],
    },
  ],
]

describe.each(instanceKinds('embedded'))('on $kind', ({ open }) => {
  let all: Instances
  beforeAll(async () => {
    all = await open()
    const made = async (path: string, body: object): Promise<Json> => (await all.opened.send('POST', path, body)).json
    const idOf = async (path: string, body: object) => String((await made(path, body))['id'])
    const simple = { view: 'observations', dimensions: [], filters: [], metrics: [{ measure: 'count', agg: 'count' }], chartType: 'NUMBER' }
    ids['widget'] = await idOf('/unstable/dashboard-widgets', { name: 'w', ...simple })
    ids['dashboard'] = await idOf('/unstable/dashboards', { name: 'd' })
    ids['placed'] = await idOf('/unstable/dashboards', { name: 'placed' })
    ids['moved'] = await idOf('/unstable/dashboards', { name: 'moved' })
    await made(`/unstable/dashboards/${ids['moved']}/placements`, { type: 'preset', id: 'moved', presetId: 'home-traces' })
  })
  afterAll(() => all.close())

  test.each(written)('%s comes back unchanged', (_, each) => checkReadBack(all, each))
})
