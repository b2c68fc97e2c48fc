// This file is written by hand. A generated file would also contain comments, which would be three quarters of the file.
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
