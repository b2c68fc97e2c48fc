export { type Piece, type StreamType, streamTypes } from './format.ts'
export type { StreamRequest } from './request.ts'
