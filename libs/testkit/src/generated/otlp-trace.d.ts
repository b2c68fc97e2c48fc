// This file is handwritten, because a generated file would consist mostly of comments.
interface Writer {
  finish(): Uint8Array
}

interface MessageType {
  encode(message: object): Writer
  decode(bytes: Uint8Array): object
  toObject(message: object, options?: { longs?: StringConstructor; bytes?: StringConstructor; defaults?: boolean }): object
}

export declare const otlp: {
  readonly ExportTraceServiceRequest: MessageType
  readonly ExportTraceServiceResponse: MessageType
  readonly Span: MessageType
}
