export type { Piece } from './format.ts'
