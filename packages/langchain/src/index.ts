// Turns the runs of LangChain and LangGraph into observations.
export { CallbackHandler, type CallbackHandlerParams } from './callback-handler.ts'
export type { AnonymousLlmMessage, LlmMessage } from './messages.ts'
