export { queryMetrics } from './run.ts'
export { widgetProblem } from './widget.ts'
