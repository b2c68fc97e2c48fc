// Records what LangChain and LangGraph do as observations.
export { CallbackHandler, type CallbackHandlerParams } from './callback-handler.ts'
export type { AnonymousLlmMessage, LlmMessage } from './messages.ts'
