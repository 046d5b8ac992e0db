from scratch import *
from poise.motion import Clip
def tiled(n):
    q=[]; dx=clip.q[-1,:3]-clip.q[0,:3]; dx[2]=0
    for i in range(n):
        x=np.array(clip.q); x[:,:3]+=i*dx; q.append(x)
    return Clip(ch,np.concatenate(q),clip.rate,name='tiled')
if __name__=='__main__':
    for n in (1,3,9):
        cl=tiled(n); pl=A.detect(cl); kk=Kinematics(ch,cl.q)
        ff=int(cl.frames*.5); hd=kk.point('RightHand')[ff]+np.array([.35,0,.15]); t=float(cl.times[ff])
        pin=c.pin('RightHand',hd,t)
        ts=[]
        for _ in range(5 if n<9 else 3):
            t0=time.perf_counter(); p0=time.process_time(); r=A.adapt(cl,[*pl,pin],floor=True,joints=JOINTS,exact=True); ts.append((time.perf_counter()-t0,time.process_time()-p0))
        print(n,cl.frames,'best %.3f cpu %.3f'%(min(a for a,_ in ts),min(b for _,b in ts)),[(d.steps,d.reason) for d in r.descents], 'per frame ms %.3f'%(1e3*min(a for a,_ in ts)/cl.frames), 'per frame-step us %.2f'%(1e6*min(a for a,_ in ts)/cl.frames/sum(d.steps for d in r.descents)))
        w=A.around(cl,[t]); ts=[]
        hh=hd.copy(); rr=r
        for k in range(12):
            if k<8: hh=hh+np.array([0,0,.01])
            items=[*pl,c.pin('RightHand',hh,t)]
            t0=time.perf_counter(); rr=A.drag(rr,items,w); x=rr.poses(ff-5,ff+5); ts.append(time.perf_counter()-t0)
            e=np.linalg.norm(Kinematics(ch,x).point('RightHand')[5]-hh)
            if k in (0,7,8,9,10): print('   drag',k,'%.1f ms'%(1e3*ts[-1]),'err %.3f mm'%(1e3*e))
        print('  drag best %.1f ms median %.1f'%(1e3*min(ts),1e3*np.median(ts)))
