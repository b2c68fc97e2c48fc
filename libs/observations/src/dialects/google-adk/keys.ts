import { declareKeys } from '../../span-view/keys.ts'

export const googleAdkKeys = declareKeys({
  content: [
    'gcp.vertex.agent.llm_request',
    'gcp.vertex.agent.tool_call_args',
    'gcp.vertex.agent.llm_response',
    'gcp.vertex.agent.tool_response',
  ],
})
