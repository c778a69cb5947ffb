import { failure } from '../errors.ts';
import { deleteOfMessage, messageOfTxnResult, putOfMessage, rangeOfMessage, txnOfMessage } from '../wire/convert.ts';
import {
  CompactionRequest,
  DeleteRangeRequest,
  DeleteRangeResponse,
  HeaderOnly,
  PutRequest,
  PutResponse,
  RangeRequest,
  TxnRequest,
  TxnResponse,
} from '../wire/messages.ts';
import { type FrontContext, framed, headerNow, headerOf, method } from './answers.ts';
import type { Handler } from './grpc-server.ts';
import { rangeResponse } from './range-response.ts';

export function keyValueService(front: FrontContext): Record<string, Handler> {
  const { store } = front;
  /** etcd limits the encoded request, as it goes through its Raft log. */
  const checkSize = (bytes: Buffer): void => {
    if (bytes.length > front.maxRequestBytes) throw failure('request-too-large');
  };
  return {
    Range: {
      unary: async (bytes) => {
        const result = await store.range(rangeOfMessage(RangeRequest.decode(bytes)));
        return rangeResponse(result, headerOf(front, result.revision));
      },
    },
    Put: {
      unary: async (bytes) => {
        const operation = putOfMessage(PutRequest.decode(bytes));
        checkSize(bytes);
        const { revision, responses } = await store.txn({ success: [operation] });
        const [response] = responses;
        const prevKv = response?.op === 'put' ? response.prevKv : undefined;
        return framed(PutResponse, { header: headerOf(front, revision), prevKv });
      },
    },
    DeleteRange: method(DeleteRangeRequest, DeleteRangeResponse, async (request) => {
      const { revision, responses } = await store.txn({ success: [deleteOfMessage(request)] });
      const [response] = responses;
      const { deleted, prevKvs } = response?.op === 'delete' ? response : { deleted: 0, prevKvs: [] };
      return { header: headerOf(front, revision), deleted, prevKvs };
    }),
    Txn: {
      unary: async (bytes) => {
        const request = txnOfMessage(TxnRequest.decode(bytes));
        checkSize(bytes);
        const result = await store.txn(request);
        return framed(TxnResponse, messageOfTxnResult(result, headerOf(front, result.revision)));
      },
    },
    Compact: method(CompactionRequest, HeaderOnly, async ({ revision, physical }) => {
      await store.compact(revision, { physical });
      return { header: await headerNow(front) };
    }),
  };
}
