// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export interface UpdatePromptRequest {
  newLabels: string[]
}
