import { AuthStatusResponse, Empty, HeaderOnly, MemberListResponse } from '../wire/messages.ts';
import { GrpcCode } from '../wire/status.ts';
import { type FrontContext, headerNow, method } from './answers.ts';
import type { Handler } from './grpc-server.ts';
import { refusal } from './maintenance-service.ts';

export function clusterService(front: FrontContext): Record<string, Handler> {
  const unsupported = refusal('k8ts etcd is one member; for a cluster run etcd and give k8ts its endpoints');
  return {
    MemberList: method(Empty, MemberListResponse, async () => ({
      header: await headerNow(front),
      members: [
        {
          id: front.memberId,
          name: front.name,
          peerUrls: [...front.peerUrls],
          clientUrls: [...front.clientUrls],
          isLearner: false,
        },
      ],
    })),
    MemberAdd: unsupported,
    MemberRemove: unsupported,
    MemberUpdate: unsupported,
    MemberPromote: unsupported,
  };
}

const authMethods = [
  'UserAdd',
  'UserGrantRole',
  'UserRevokeRole',
  'RoleAdd',
  'RoleGrantPermission',
  'RoleRevokePermission',
  'AuthEnable',
];

/** Client certificates decide who may connect: there are no users and roles, and none can be made. */
export function authService(front: FrontContext): Record<string, Handler> {
  const refused = refusal('k8ts etcd has no users and roles; require client certificates instead (--client-cert-auth)');
  const nothing = method(Empty, HeaderOnly, async () => ({ header: await headerNow(front) }));
  const noSuchUser = refusal('etcdserver: user name not found', GrpcCode.FAILED_PRECONDITION);
  const noSuchRole = refusal('etcdserver: role name not found', GrpcCode.FAILED_PRECONDITION);
  return {
    ...Object.fromEntries(authMethods.map((name) => [name, refused])),
    ...Object.fromEntries(['UserList', 'RoleList', 'AuthDisable'].map((name) => [name, nothing])),
    ...Object.fromEntries(['UserGet', 'UserDelete', 'UserChangePassword'].map((name) => [name, noSuchUser])),
    ...Object.fromEntries(['RoleGet', 'RoleDelete'].map((name) => [name, noSuchRole])),
    Authenticate: refusal('etcdserver: authentication is not enabled', GrpcCode.FAILED_PRECONDITION),
    AuthStatus: method(Empty, AuthStatusResponse, async () => ({ header: await headerNow(front), enabled: false })),
  };
}
