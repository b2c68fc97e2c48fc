// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export interface GetMetricsV2Request {
  query: string
}

export interface MetricsV2Response {
  data: Record<string, unknown>[]
}
