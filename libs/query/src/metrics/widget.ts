// Checks a dashboard widget against the metrics views.

import { conditionsOf, metricsV2 } from './plan.ts'
import { aggregations } from './query.ts'
import { metadataDimension } from './view.ts'

export interface WidgetQuery {
  readonly view: string
  readonly dimensions: readonly { readonly field: string }[]
  readonly metrics: readonly { readonly measure: string; readonly agg: string }[]
  readonly filters: readonly unknown[]
}

export interface WidgetProblem {
  readonly field: 'view' | 'dimensions' | 'metrics'
  readonly value: string
  readonly allowedValues: readonly string[]
}

const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name)

/** Returns the first name that the view does not have, or undefined if the view has all names. Throws InvalidQuery for invalid filters. */
export function widgetProblem({ view: viewName, dimensions, metrics, filters }: WidgetQuery): WidgetProblem | undefined {
  const view = metricsV2.views[viewName]
  if (view === undefined) return { field: 'view', value: viewName, allowedValues: Object.keys(metricsV2.views) }
  for (const { field } of dimensions) {
    const isKnown = view.dimensions.some(({ name }) => name === field) || metadataDimension(view, field) !== undefined
    if (!isKnown) return { field: 'dimensions', value: field, allowedValues: names(view.dimensions) }
  }
  for (const { measure: name, agg } of metrics) {
    const measure = view.measures.find(each => each.name === name)
    if (measure === undefined) return { field: 'metrics', value: name, allowedValues: names(view.measures) }
    const taken = measure.numeric ? aggregations : aggregations.filter(each => each === 'count' || each === 'uniq')
    if (!taken.some(each => each === agg)) return { field: 'metrics', value: agg, allowedValues: taken }
  }
  conditionsOf(view, filters)
  return undefined
}
