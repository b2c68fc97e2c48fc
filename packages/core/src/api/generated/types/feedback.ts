// Made by npm run generate:sdk from the operations of the HTTP API. Do not edit.
export const FeedbackTargetType = {
  Skill: 'skill',
  McpTool: 'mcp-tool',
  Cli: 'cli',
  Docs: 'docs',
  PublicApi: 'public-api',
  Other: 'other',
} as const
export type FeedbackTargetType = (typeof FeedbackTargetType)[keyof typeof FeedbackTargetType]

export interface SubmitFeedbackRequest {
  targetType: FeedbackTargetType
  target: string
  feedback: string
  goal?: string | undefined
  referenceUrl?: string | undefined
}

export interface SubmitFeedbackResponse {
  id: string
}
