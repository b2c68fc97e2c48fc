// Records LangChain and LangGraph runs as observations.
export { CallbackHandler, type CallbackHandlerParams } from './callback-handler.ts'
export type { AnonymousLlmMessage, LlmMessage } from './messages.ts'
