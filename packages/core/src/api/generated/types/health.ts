// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export interface HealthResponse {
  version: string
  status: string
}
