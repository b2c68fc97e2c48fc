// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export interface DashboardWidgetFilter {
  column: string
  operator: string
  type: string
  value?: unknown
  key?: string | undefined
}
